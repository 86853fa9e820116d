"""What `crosspro prepare` leaves behind: PREFIX.data, its doc-ids, a blind copy and a report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, fields
from pathlib import Path

from crosspro.data_prep.annotate.layers import BLIND
from crosspro.data_prep.core.cache import file_digest
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files.guard import check_not_input
from crosspro.data_prep.core.files.textfile import atomic_output, is_file, write_text
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.data_prep.gaps.segments import Counts
from crosspro.data_prep.pipeline.prepare import PrepareSettings
from crosspro.data_prep.pipeline.sets.statistics import DocumentSize, total_size
from crosspro.version import __version__


def write_prepared(
    examples: Iterable[Example], output: Path, blind: bool, documents: bool = True
) -> DocumentSize:
    """Write PREFIX.data and what belongs to it, so that either all or none of them appear.

    Examples are written as they come; how much it was in all is returned. Text without documents
    has no ids: those of an earlier text under the same name are removed.
    """
    prefixes = [output, output.with_name(f"{output.name}{BLIND}")][: 1 + blind]
    named = [prefix.with_name(f"{prefix.name}.doc-ids") for prefix in prefixes]
    if not documents:
        for path in named:
            check_not_input(path)
    with ExitStack() as files:
        # The last to be opened is the first to be moved into place: the data comes last.
        data, *hidden = (
            files.enter_context(atomic_output(prefix.with_name(f"{prefix.name}.data")))
            for prefix in prefixes
        )
        ids = [files.enter_context(atomic_output(path)) for path in named if documents]

        def written() -> Iterator[Example]:
            for example in examples:
                line = format_example(example)
                data.write(line.encode("utf-8") + b"\n")
                for handle in ids:
                    handle.write(f"{example.document or ''}\n".encode())
                for handle in hidden:
                    visible = line.split("\t", 2)[2]
                    handle.write(f"\t\t{visible}\n".encode())
                yield example

        total = total_size(written())
        if not documents:
            for path in named:
                path.unlink(missing_ok=True)
        return total


def write_report(
    task: Task,
    total: DocumentSize,
    counts: Counts,
    settings: PrepareSettings,
    year: str,
    inputs: Iterable[Path],
    output: Path,
    checked: Mapping[str, object] | None = None,
) -> None:
    """Write PREFIX.report.json: what was made of which inputs, how, and every decision.

    What people have `checked` is part of it, where they have.
    """
    others = (f.name for f in fields(settings) if f.name not in ("rules", "aligner"))
    chosen = {name: _plain(getattr(settings, name)) for name in others}
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
        **({} if checked is None else {"checked": checked}),
    }
    path = output.with_name(f"{output.name}.report.json")
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2, default=str) + "\n")


def _plain(value: object) -> str | int:
    """A setting as the report has it."""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return value if isinstance(value, str | int) else str(value)
