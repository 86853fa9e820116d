"""Commands of others that do what ours do.

They are installed on demand in a folder of their own. KenLM's sources on PyPI are built with CMake,
a compiler and Boost (Debian: libboost-{program-options,system,thread,test}-dev). fast_align (as
systran-align) and sacremoses go into a virtual environment, so that nothing of ours changes.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import venv
from collections.abc import Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.files import read_text_lines
from crosspro.scripts.bench.measure import Command

VERSIONS = {"kenlm": "0.3.0", "systran-align": "3.5.0", "sacremoses": "0.2.0"}
_FAST_ALIGN = """
import sys
from systran_align import Aligner, generate_alignment_probabilities
text, forward, backward = sys.argv[1:]
usual = dict(favor_diagonal=True, optimize_tension=True, variational_bayes=True)
generate_alignment_probabilities(text, forward, backward, **usual)
aligner = Aligner(forward, backward)
with open(text, encoding="utf-8") as lines:
    for line in lines:
        source, target = line.split(" ||| ")
        print(aligner.align(source.split(), target.split())["alignments"])
"""


class Peers:
    """A folder of other people's programs; what is missing is installed when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def lmplz(self, text: Path, arpa: Path) -> Command:
        """Estimation of a 5-gram model."""
        tool, temporary = self._kenlm("lmplz"), arpa.with_name("lmplz.")
        words = [tool, "-o", 5, "-S", "2G", "-T", temporary, "--discount_fallback"]
        return Command([*words, "--text", text, "--arpa", arpa])

    def query(self, arpa: Path, text: Path) -> Command:
        """The scores of sentences, with KenLM's quickest form of a model, which is made here."""
        binary = arpa.with_suffix(".probing")
        if not binary.exists():
            run_quietly([self._kenlm("build_binary"), "probing", arpa, binary])
        return Command([self._kenlm("query"), "-v", "sentence", binary], text)

    def fast_align(self, source: Path, target: Path, folder: Path) -> Command:
        """Links of two texts."""
        script, text, *tables = (folder / name for name in ("script.py", "text", "ahead", "back"))
        script.write_text(_FAST_ALIGN, "utf-8")
        with text.open("w", encoding="utf-8") as handle:
            for one, other in zip(*map(read_text_lines, (source, target)), strict=True):
                handle.write(f"{one} ||| {other}\n")
        return Command([self._python("systran-align"), script, text, *tables])

    def sacremoses(self, text: Path, language: str) -> Command:
        """The tokens of a text, in one process."""
        program = self._python("sacremoses").with_name("sacremoses")
        return Command([program, "-l", language, "-j", 1, "tokenize"], text)

    def _kenlm(self, tool: str) -> Path:
        name = f"kenlm-{VERSIONS['kenlm']}"
        build = self.folder / name / "build"
        if not (build / "bin" / tool).exists():
            pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
            package = f"kenlm=={VERSIONS['kenlm']}"
            run_quietly([*pip, "--no-binary", "kenlm", "-d", self.folder, package])
            with tarfile.open(self.folder / f"{name}.tar.gz") as archive:
                archive.extractall(self.folder, filter="data")
            run_quietly(["cmake", "-S", build.parent, "-B", build, "-DCMAKE_BUILD_TYPE=Release"])
            run_quietly(["cmake", "--build", build, "--target", "lmplz", "build_binary", "query"])
        return build / "bin" / tool

    def _python(self, package: str) -> Path:
        place = self.folder / package
        python = place / "bin" / "python"
        if not python.exists():
            venv.create(place, with_pip=True)
            run_quietly([python, "-m", "pip", "install", "-q", f"{package}=={VERSIONS[package]}"])
        return python


def run_quietly(words: Sequence[object]) -> None:
    """Run what makes something ready; raises `CrossproError` with what it says if it fails."""
    command = [str(word) for word in words]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CrossproError(f"{command[0]}: {error.strerror}") from error
    if found.returncode:
        told = (found.stderr or found.stdout).strip()[-2000:]
        raise CrossproError(f"{' '.join(command)}: {told}")
