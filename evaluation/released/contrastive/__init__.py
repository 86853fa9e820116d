"""What the released evaluation scripts of contrastive sets print, line by line."""
