"""Files as such: plain and compressed lines, strict YAML, output that appears when complete."""
