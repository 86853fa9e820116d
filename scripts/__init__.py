"""The sub-commands of `crosspro`, one thin module each."""
