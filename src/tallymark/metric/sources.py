"""One bibliography: the key a metric cites -> the work it comes from."""

from __future__ import annotations

SOURCES: dict[str, str] = {
    "tharwat2018": "A. Tharwat (2018). Classification assessment methods. "
    "Applied Computing and Informatics 17(1), 168-192.",
}
