"""Prints the names of the files in which two wheels differ."""

import sys
import zipfile


def lines_of(path: str) -> dict[str, list[bytes]]:
    with zipfile.ZipFile(path) as wheel:
        return {name: told(name, wheel.read(name)) for name in wheel.namelist()}


def told(name: str, content: bytes) -> list[bytes]:
    """Without what names the tool that made the wheel, or follows from it."""
    if name.endswith((".dist-info/WHEEL", ".dist-info/RECORD")):
        return []
    return [line for line in content.splitlines() if not line.startswith(b"Metadata-Version: ")]


ours, theirs = map(lines_of, sys.argv[1:])
print(sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)))
