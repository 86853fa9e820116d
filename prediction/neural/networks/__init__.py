"""The networks, each in a module of its name and registered under it."""
