"""Columns of a file as they are read, and the sentence with which one is refused."""

from __future__ import annotations

import pytest

from tallymark import InputError
from tallymark.reading.chunks import Chunk
from tallymark.reading.files import open_file
from tallymark.reading.readers import open_table


def read(path, labels=(), numbers=(), size=4_000_000) -> Chunk:
    (chunk,) = open_table(path).chunks(labels, numbers, size)
    return chunk


def words(chunk: Chunk, column: str) -> list:
    coded = chunk.labels[column]
    assert list(coded.labels) == sorted(set(coded.labels))
    return [None if c < 0 else coded.labels[c] for c in coded.codes]


def refusal(path, labels=(), numbers=()) -> str:
    with pytest.raises(InputError) as caught:
        list(open_file(path).chunks(labels, numbers))
    return str(caught.value)
