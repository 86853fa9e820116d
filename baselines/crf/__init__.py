"""A linear-chain conditional random field over sparse features: training, marginals, best paths."""
