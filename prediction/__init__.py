"""The System interface and the neural predictors."""
