"""The version of the package, for modules below its public face."""

__version__ = "0.4.0"
