"""Reading, checking and building shared-task examples: everything before a system sees them."""

__version__ = "0.1.0"
