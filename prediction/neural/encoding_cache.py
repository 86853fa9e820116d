"""Encoded data in a folder, memory-mapped by every run over the same content."""

from __future__ import annotations

from pathlib import Path

from crosspro.data_prep.core.stored import Cache, content_key
from crosspro.data_prep.core.task import Task
from crosspro.prediction.neural.encoding import EncodedData, Encoder, Ints, encode
from crosspro.prediction.neural.flat_text import POSITIONS
from crosspro.prediction.neural.unread_text import UnreadText

_COLUMNS = (*POSITIONS, "label")


def cached_encoding(
    text: UnreadText, encoder: Encoder, task: Task, folder: Path | None
) -> EncodedData:
    """The arrays, memory-mapped from a folder if they were made before from the same content."""
    if folder is None:
        return encode(text.flat, encoder, task)
    key = content_key(encoder.to_json(), dict(task.class_index), text.digest)
    fields = {field.name: field.name for field in encoder.reading.fields}
    spellings = {f.name: f"{f.name}-spellings" for f in encoder.reading.fields if f.spelled}
    columns = {name: f"gap-{name}" for name in _COLUMNS}  # a field may have the name of a column

    def made() -> dict[str, Ints]:
        data = encode(text.flat, encoder, task)
        return {
            **{file: data.fields[name] for name, file in fields.items()},
            **{file: data.spellings[name] for name, file in spellings.items()},
            **{file: getattr(data, name) for name, file in columns.items()},
        }

    files = (*fields.values(), *spellings.values(), *columns.values())
    arrays = Cache(folder).arrays("encoding", key, files, made)
    return EncodedData(
        {name: arrays[file] for name, file in fields.items()},
        {name: arrays[file] for name, file in spellings.items()},
        **{name: arrays[file] for name, file in columns.items()},
    )
