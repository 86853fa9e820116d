"""The server on which annotators judge translations of pronouns."""
