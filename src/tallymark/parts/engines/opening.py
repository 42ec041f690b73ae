"""Links and lazy frames are opened as tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallymark.parts.engines.lazy import LazyTable


def table_of(data: Any) -> LazyTable | None:
    """Return the table of a link or of a lazy frame, None for other data."""
    if isinstance(data, str) and "://" in data:
        from tallymark.parts.engines.links import open_link

        return open_link(data)
    if isinstance(data, str | os.PathLike | Mapping):
        return None
    from tallymark.parts.engines.lazy import lazy_table

    return lazy_table(data)
