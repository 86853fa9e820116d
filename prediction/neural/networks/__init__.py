"""The networks, one file each: plain modules from a batch of gaps to class scores."""
