"""What `crosspro prepare` leaves behind: PREFIX.data, its doc-ids, a blind copy and a report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, fields
from pathlib import Path

from crosspro import __version__
from crosspro.data_prep.cache import file_digest
from crosspro.data_prep.example import Example
from crosspro.data_prep.files.textfile import atomic_output, is_file, write_text
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.data_prep.gaps.segments import Counts
from crosspro.data_prep.layers import BLIND
from crosspro.data_prep.prepare import PrepareSettings
from crosspro.data_prep.sets.statistics import DocumentSize, total_size
from crosspro.data_prep.task import Task


def write_prepared(examples: Iterable[Example], output: Path, blind: bool) -> DocumentSize:
    """Write PREFIX.data and what belongs to it, so that either all or none of them appear.

    Examples are written as they come; how much it was in all is returned.
    """
    with ExitStack() as files:
        # The last to be opened is the first to be moved into place: the data comes last.
        data = files.enter_context(atomic_output(output.with_name(f"{output.name}.data")))
        ids = files.enter_context(atomic_output(output.with_name(f"{output.name}.doc-ids")))
        hidden = output.with_name(f"{output.name}{BLIND}.data")
        without = files.enter_context(atomic_output(hidden)) if blind else None

        def written() -> Iterator[Example]:
            for example in examples:
                line = format_example(example)
                data.write(line.encode("utf-8") + b"\n")
                ids.write(f"{example.document or ''}\n".encode())
                if without is not None:
                    visible = line.split("\t", 2)[2]
                    without.write(f"\t\t{visible}\n".encode())
                yield example

        return total_size(written())


def write_report(
    task: Task,
    total: DocumentSize,
    counts: Counts,
    settings: PrepareSettings,
    year: str,
    inputs: Iterable[Path],
    output: Path,
) -> None:
    """Write PREFIX.report.json: what was made of which inputs, how, and every decision."""
    chosen = {
        f.name: value if isinstance(value := getattr(settings, f.name), str | int) else str(value)
        for f in fields(settings)
        if f.name not in ("rules", "aligner")
    }
    content = {
        "crosspro": __version__,
        "task": task.name,
        "year": year,
        "rules": asdict(settings.rules),
        "aligner": asdict(settings.aligner),
        "settings": chosen,
        "inputs": {str(path): file_digest(path) for path in inputs if is_file(path)},
        "segments": total.segments,
        "source_tokens": total.source_tokens,
        "target_tokens": total.target_tokens,
        "gaps": total.gaps,
        "segments_backed_off": counts.backed_off,
        "decisions": dict(counts.decisions.most_common()),
        "subject_rules": dict(counts.subject_rules.most_common()),
        "classes_before_filter": {name: counts.before[name] for name in task.classes},
        "classes": {name: counts.after[name] for name in task.classes},
    }
    path = output.with_name(f"{output.name}.report.json")
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2, default=str) + "\n")
