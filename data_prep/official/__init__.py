"""The official data of the shared tasks: where each file is, and its download."""
