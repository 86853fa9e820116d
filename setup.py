"""Editable installations find `crosspro` also from beside the clone, a folder of that name.

The finder of setuptools comes last, when Python has taken such a folder for a namespace already.
"""

from setuptools import setup
from setuptools.command import editable_wheel

_TEMPLATE = "_FINDER_TEMPLATE"
_found = getattr(editable_wheel, _TEMPLATE, "").replace("meta_path.append(", "meta_path.insert(0, ")
setattr(editable_wheel, _TEMPLATE, _found)

setup()
