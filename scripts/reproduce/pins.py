"""Makes constraints.txt and constraints.hashed.txt from the requirements of pyproject.toml.

`make pins` resolves all extras together, with the pins that there are, and writes every package
that they bring along: its version into the one file, its version and checksums into the other. To
renew a pin, delete its line first. `--install crosspro,dev` prints what `pip install --no-deps
--require-hashes` needs for the project and some extras, before anything is installed.

Checksums are those of the index, for Linux on two kinds of processors and two versions of Python.
Of torch only builds without CUDA count; checksums that another machine noted for the same version
stay. The packages of `lexicon` are installed without what they ask for: only their data is read.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PINS = "constraints.txt"
HASHED = "constraints.hashed.txt"
BASE = "crosspro"
"""What the packages are for that no extra asks for."""
DATA_ONLY = "lexicon"
BUILD = "build"
"""What packages are built with that come as sources, and the project itself."""

_MACHINES = ("x86_64", "aarch64")
_PYTHONS = ((3, 11), (3, 12))
_NEWEST_GLIBC = 40
_PINS_HEAD = """\
# Versions this project is tested with; `make` installs these, `make pins` writes this file. The
# torch pin matters most: an open range lets pip choose a build with gigabytes of CUDA packages.
"""
_HASHED_HEAD = """\
# The same versions with checksums, for pip install --require-hashes --no-deps (make hashed); make
# pins writes this. Linux, x86-64 and aarch64, Python 3.11 and 3.12; of torch only CPU builds.
"""
_ENTRY = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>[^\s\\]+)(?P<hashes>(?: \\\n    --hash=sha256:[0-9a-f]{64})+)"
    r"\n    # for: (?P<extras>[^\n]+)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Pinned:
    """A package: its version, the extras that need it, and the checksums of its files."""

    name: str
    version: str
    extras: tuple[str, ...]
    hashes: tuple[str, ...]

    def entry(self) -> str:
        """As pip reads it."""
        hashes = "".join(f" \\\n    --hash=sha256:{one}" for one in self.hashes)
        return f"{self.name}=={self.version}{hashes}\n    # for: {' '.join(self.extras)}\n"


def requirements(root: Path = ROOT) -> dict[str, list[str]]:
    """What the project asks for, by extra."""
    content = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    project, build = content["project"], content["build-system"]["requires"]
    return {BASE: project["dependencies"], BUILD: build, **project["optional-dependencies"]}


def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_hashed(text: str) -> list[Pinned]:
    """The packages of a file with checksums."""
    return [
        Pinned(
            one["name"],
            one["version"],
            tuple(one["extras"].split()),
            tuple(re.findall(r"sha256:(\w+)", one["hashes"])),
        )
        for one in _ENTRY.finditer(text)
    ]


def resolved(asked: Iterable[str], pins: Path, deep: bool = True) -> dict[str, Mapping[str, Any]]:
    """The metadata of all packages that pip would install, by name; not `deep`: of these alone."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, report = Path(folder, "requirements.txt"), Path(folder, "report.json")
        wanted.write_text("\n".join(asked) + "\n", "utf-8")
        command = [
            *(sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed"),
            *("--quiet", "--report", str(report), "-r", str(wanted), "-c", str(pins)),
            *(() if deep else ("--no-deps",)),
        ]
        subprocess.run(command, check=True)
        found = json.loads(report.read_text("utf-8"))["install"]
    return {normal(one["metadata"]["name"]): one["metadata"] for one in found}


def needed(
    asked: Sequence[str], packages: Mapping[str, Mapping[str, Any]], deep: bool = True
) -> set[str]:
    """The names of what some requirements bring along, on any machine that is looked at."""
    from pip._vendor.packaging.requirements import Requirement

    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(one) for one in asked]
    while waiting:
        one = waiting.pop()
        name, extras = normal(one.name), frozenset(one.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        if not deep:
            continue
        if name not in packages:
            sys.exit(f"{name}: needed on another machine than this one, and not resolved here")
        for text in packages[name].get("requires_dist", ()):
            inner = Requirement(text)
            if inner.marker is None or any(
                inner.marker.evaluate({**environment, "extra": extra})
                for environment in _environments()
                for extra in extras or {""}
            ):
                waiting.append(inner)
    return {name for name, _ in seen}


def _environments() -> Iterator[dict[str, str]]:
    for machine in _MACHINES:
        for major, minor in _PYTHONS:
            version = f"{major}.{minor}"
            yield {
                "platform_machine": machine,
                "python_version": version,
                "python_full_version": f"{version}.0",
                "sys_platform": "linux",
                "platform_system": "Linux",
                "os_name": "posix",
            }


def checksums(versions: Mapping[str, str]) -> dict[str, list[str]]:
    """The checksums of the files of each package that fit one of the machines, sdists where there
    is no wheel. pip's own finder is asked, since it knows the indexes."""
    from pip._internal.commands.download import DownloadCommand
    from pip._internal.models.target_python import TargetPython

    found: dict[str, set[str]] = {name: set() for name in versions}
    command = DownloadCommand("download", "")
    options, _ = command.parse_args(["--quiet", "nothing"])
    with command.main_context():
        session = command.get_default_session(options)
        for machine in _MACHINES:
            platforms = [
                *(f"manylinux_2_{n}_{machine}" for n in range(_NEWEST_GLIBC, 4, -1)),
                *(f"manylinux{n}_{machine}" for n in ("2014", "2010", "1")),
                f"linux_{machine}",
            ]
            for version in _PYTHONS:
                target = TargetPython(platforms, version, None, "cp")
                finder = command._build_package_finder(options, session, target)
                for name, wanted in versions.items():
                    links = [
                        candidate.link
                        for candidate in finder.find_all_candidates(name)
                        if _is(str(candidate.version), wanted, name)
                    ]
                    wheels = [link for link in links if link.is_wheel]
                    for link in wheels or links:
                        found[name].add(link.hash or _sha256(Path(link.file_path)))
    return {name: sorted(hashes) for name, hashes in found.items()}


def _is(version: str, wanted: str, name: str) -> bool:
    public, _, local = version.partition("+")
    return public == wanted and local == ("cpu" if name == "torch" else "")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def make_pins(root: Path) -> None:
    """Resolve, and write both files."""
    asked = requirements(root)
    data = asked.pop(DATA_ONLY)
    packages = resolved([one for extra in asked.values() for one in extra], root / PINS)
    packages.update(resolved(data, root / PINS, deep=False))
    extras: dict[str, list[str]] = {name: [] for name in packages}
    for extra, wanted in {**asked, DATA_ONLY: data}.items():
        for name in needed(wanted, packages, deep=extra != DATA_ONLY):
            extras[name].append(extra)
    versions = {
        name: str(one["version"]).partition("+")[0] for name, one in sorted(packages.items())
    }
    before = {
        (one.name, one.version): one.hashes
        for one in read_hashed((root / HASHED).read_text("utf-8") if _there(root) else "")
    }
    hashes = checksums(versions)
    every = [
        Pinned(
            name,
            version,
            tuple(extras[name]),
            tuple(sorted({*hashes[name], *before.get((name, version), ())})),
        )
        for name, version in versions.items()
    ]
    if lacking := [one.name for one in every if not one.hashes]:
        sys.exit(f"no checksum of {', '.join(lacking)}")
    pins = "".join(f"{one.name}=={one.version}\n" for one in every)
    (root / PINS).write_text(_PINS_HEAD + pins, "utf-8")
    (root / HASHED).write_text(_HASHED_HEAD + "".join(one.entry() for one in every), "utf-8")


def _there(root: Path) -> bool:
    return (root / HASHED).is_file()


def main() -> None:
    """Make both files, or print a part of the one with checksums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--install",
        metavar="EXTRAS",
        help="print what these need (crosspro: the project itself; build: to build packages)",
    )
    given = parser.parse_args()
    if given.install is None:
        make_pins(ROOT)
        return
    wanted = {*given.install.split(",")}
    if unknown := wanted - requirements().keys():
        sys.exit(f"--install: expected extras of pyproject.toml, found {', '.join(unknown)}")
    for one in read_hashed((ROOT / HASHED).read_text("utf-8")):
        if wanted & {*one.extras}:
            print(one.entry(), end="")


if __name__ == "__main__":
    main()
