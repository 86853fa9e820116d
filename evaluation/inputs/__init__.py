"""What metrics of MT output read: texts, links, documents, lists of pronouns."""
