"""Systems without a neural network: from the majority class to n-gram language models."""
