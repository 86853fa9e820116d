"""The attackers' campaign: every reader, saved form and command over mutated inputs.

    python -m tests.fuzz --minutes 60              everything, for an hour
    python -m tests.fuzz --inputs 100000 --reader conllu --reader links
    python -m tests.fuzz --replay FOLDER           one input that was kept, with its traceback

What fails is kept in the folder given with --kept, one folder an input; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    """Run the campaign; 1 if anything failed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, help="stop after so long")
    parser.add_argument("--inputs", type=int, help="stop after so many inputs")
    parser.add_argument("--reader", action="append", default=[], help="only these (repeat)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other inputs")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--scale", type=float, default=1.0, help="of the inputs of a round")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--kept", type=Path, default=Path("fuzz_failures"), help="failing inputs")
    parser.add_argument("--list", action="store_true", help="show the names of readers")
    parser.add_argument("--replay", type=Path, help="try one kept input again")
    asked = parser.parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # Imported late: readers bring torch along, and --help should not.
    from tests.fuzz.campaign import campaign, progress, table
    from tests.fuzz.subjects import subjects

    with tempfile.TemporaryDirectory() as workshop:
        known = {subject.name: subject for subject in subjects(Path(workshop))}
        unknown = set(asked.reader) - known.keys()
        if unknown:
            parser.error(f"--reader: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
        if asked.list:
            print("\n".join(known))
            return 0
        if asked.replay:
            return replay(asked.replay, known)
        if asked.minutes is None and asked.inputs is None:
            parser.error("say how long: --minutes or --inputs")
        chosen = [known[name] for name in known if not asked.reader or name in asked.reader]
        seconds = None if asked.minutes is None else asked.minutes * 60
        tallies = campaign(
            chosen,
            asked.seed,
            asked.kept,
            inputs=asked.inputs,
            seconds=seconds,
            jobs=asked.jobs,
            first=asked.first,
            scale=asked.scale,
            report=progress,
        )
    print(table(tallies))
    return 1 if any(one.failed for one in tallies.values()) else 0


def replay(folder: Path, known: dict) -> int:
    """Try a kept input in this process, so that its traceback is seen."""
    from tests.fuzz.campaign import Place, draw, try_input

    about = json.JSONDecoder().raw_decode((folder / "failure.txt").read_text("utf-8"))[0]
    subject = known[about["subject"]]
    one = draw(subject, about["seed"], about["number"])
    with tempfile.TemporaryDirectory() as temporary:
        place = Place(Path(temporary), subject.originals[one.original])
        sealed = subject.sealed or subject.rewritten
        expected = subject.read(place.folder) if sealed else None
        print("accepted" if try_input(subject, one, place, lambda _: expected) else "refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
