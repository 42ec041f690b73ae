"""A plugin for pytest that puts other kernels in the place of the package's: see sanitize.sh."""

import importlib.util
import os
import sys

name = "tallymark._kernels"
spec = importlib.util.spec_from_file_location(name, os.environ["SANITIZED_KERNELS"])
assert spec is not None
assert spec.loader is not None
sys.modules[name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[name])
