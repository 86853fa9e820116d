"""Results as data: records, the evidence that their scores come from, and boards made of them."""
