"""The arguments that parts add to functions.

Made by `make stubs`; a test keeps it current.
"""

from typing import Any, TypedDict

class RoleArguments(TypedDict, total=False):
    effort: Any

class InputArguments(RoleArguments, total=False):
    graded: Any
    item: Any
    epoch: Any
    task: Any
    scorer: Any
    errors: Any
