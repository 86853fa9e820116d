"""The released tools, byte for byte, faults included; nothing but commands depends on them."""
