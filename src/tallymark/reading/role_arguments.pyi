"""The arguments that roles of parts add to functions.

Made by `make stubs`; a test keeps it current.
"""

from typing import Any, TypedDict

class RoleArguments(TypedDict, total=False):
    effort: Any
