"""The System interface, what every system needs, and neural systems (neural/)."""
