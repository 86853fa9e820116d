"""A few pairs whose pronouns are right or wrong for certain."""

from __future__ import annotations

RIGHT = (
    "I bought a lamp because it was cheap.",
    "Ich habe eine Lampe gekauft, weil sie billig war.",
)
WRONG = (
    "I bought a lamp because it was cheap.",
    "Ich habe eine Lampe gekauft, weil er billig war.",
)
NONE = ("Good morning.", "Guten Morgen.")
RUNNING = (("I bought a lamp.", "Ich habe eine Lampe gekauft."),
           ("It was expensive.", "Sie war teuer."))  # fmt: skip
