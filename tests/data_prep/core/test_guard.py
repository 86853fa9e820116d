"""What a command must not write over."""

from __future__ import annotations

import os

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.guard import check_not_input, guarded, note_input


def test_an_input_is_known_by_every_name(tmp_path):
    text, link = tmp_path / "text", tmp_path / "link"
    text.write_text("a")
    os.link(text, link)
    with guarded():
        note_input(text)
        with pytest.raises(InputError):
            check_not_input(link)
    check_not_input(link)


def test_a_file_that_has_the_number_of_a_deleted_input_is_no_input(tmp_path):
    part, kept, output = (tmp_path / name for name in ("part", "kept", "output"))
    part.write_text("read, then deleted")
    os.link(part, kept)  # keeps the number of the file in use, so that the output has the same
    with guarded():
        note_input(part)
        part.unlink()
        kept.rename(output)
        check_not_input(output)
        note_input(output)
        with pytest.raises(InputError):
            check_not_input(output)
