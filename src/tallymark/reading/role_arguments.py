"""The arguments that parts add to functions; the stub lists them for type checkers."""

from typing import TypedDict


class RoleArguments(TypedDict, total=False):
    """Numbers of each row by role, as arrays or as names of columns."""


class InputArguments(RoleArguments, total=False):
    """These, and the words that say how parts read their inputs."""
