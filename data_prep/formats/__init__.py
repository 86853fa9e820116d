"""Files that stand between the stages, each format with one reader and one writer."""
