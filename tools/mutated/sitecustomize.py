"""Run one module of tallymark from changed code, in this process and in those that it starts.

``tools/mutants.py`` puts this folder on the path of Python, which then runs this file first.
MUTANT is the name of the module and MUTANT_CODE the file of its code, as ``marshal`` writes it.
"""

from __future__ import annotations

import marshal
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any


class _Changed(SourceFileLoader):
    """Loads the changed code of a file."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the changed code, never a compiled file beside the source."""
        code: CodeType = marshal.loads(Path(os.environ["MUTANT_CODE"]).read_bytes())
        return code


class _Finder:
    """Finds the changed module where any other finder would, and leaves it the others."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec of the changed module."""
        if fullname != os.environ["MUTANT"]:
            return None
        others = (f for f in sys.meta_path if f is not self)
        found = (f.find_spec(fullname, path, target) for f in others)
        spec = next(s for s in found if s is not None)
        spec.loader = _Changed(fullname, str(spec.origin))
        return spec


if "MUTANT" in os.environ:
    sys.meta_path.insert(0, _Finder())
