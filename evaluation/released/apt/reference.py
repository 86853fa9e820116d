"""APT scores that start from the reference, as published for Spanish-English TED systems in 2018.

Every pronoun of the reference is an occurrence. Its candidate words are those linked to the source
words that it is linked to itself; a pronoun without a link is counted apart (`Not source`). Cases 5
and 6 cannot occur. Case, matrix and layout are those of the released tool.
"""

from __future__ import annotations

from crosspro.data_prep.core.errors import Problem, is_whole_number
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.inputs.linked_text import raise_problems
from crosspro.evaluation.released.apt.config import ReleasedConfig, lower, texts_of
from crosspro.evaluation.released.apt.files import Linked, Scorer, score_file
from crosspro.evaluation.released.apt.tool import LinkedLines, read_translated


def score_from_reference(config: ReleasedConfig) -> str:
    """The content of the `.apt.score` file."""
    problems: list[Problem] = []
    reference = read_translated(config.reference, config.links_reference, problems)
    candidate = read_translated(config.candidate, config.links_candidate, problems)
    texts_of([config.source], problems)  # not used, but a bad file is not to pass unseen
    raise_problems(problems)
    scorer = Scorer(config, [*config.target_list, OTHER, NONE])
    wanted = frozenset(config.target_list)
    unlinked = 0
    for line in range(len(reference.lines)):
        pronouns = [(place, lower(word)) for place, word in enumerate(reference.lines[line])]
        pronouns = [(place, word) for place, word in pronouns if word in wanted]
        if not pronouns:
            continue
        ours = _links(reference, line, problems)
        theirs = _links(candidate, line, problems)
        for place, word in pronouns:
            sources = {source for source, target in ours if target == place}
            if not sources:
                unlinked += 1
                continue
            positions = sorted(target for source, target in theirs if source in sources)
            linked = [lower(candidate.lines[line][position]) for position in positions]
            found = [other for other in linked if other in wanted] or [OTHER]
            side = Linked(positions, found) if positions else None
            scorer.count(Linked([place], [word]), side)
    raise_problems(problems)
    return score_file(config, scorer, scorer.value(), f"Not source: {unlinked}")


def _links(translation: LinkedLines, line: int, problems: list[Problem]) -> list[tuple[int, int]]:
    """The links of a line, or problems if there is no such line or a link is bad."""
    path = str(translation.links_path)
    if line >= min(len(translation.links), len(translation.lines)):
        problems.append(Problem(path, line + 1, "lines", "as many as in the reference", "fewer"))
        return []
    found = []
    size = len(translation.lines[line])
    for written in filter(None, translation.links[line]):
        source, _, target = written.partition("-")
        if not (is_whole_number(source) and is_whole_number(target) and int(target) < size):
            expected = f"links s-t inside {size} target words"
            problems.append(Problem(path, line + 1, "links", expected, repr(written)))
        else:
            found.append((int(source), int(target)))
    return found
