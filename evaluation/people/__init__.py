"""What people say of translations: questions, their verdicts, and how far they agree."""
