"""Tasks on all cores: for loops whose body is NumPy's or a kernel's, which run side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tallymark import _kernels


def side_by_side(task: Callable[[int], object], count: int, threads: int) -> None:
    """Call ``task(0)`` to ``task(count - 1)``, on so many threads; each takes the next one left.

    >>> done = []
    >>> side_by_side(done.append, 5, threads=2)
    >>> sorted(done)
    [0, 1, 2, 3, 4]
    """
    left = iter(range(count))
    if min(threads, count) < 2:
        for i in left:
            task(i)
        return
    import threading

    failed: list[BaseException] = []

    def work(left: Iterator[int]) -> None:
        try:
            for i in left:
                if failed:
                    return
                task(i)
        except BaseException as error:
            failed.append(error)

    crew = [threading.Thread(target=work, args=(left,)) for _ in range(min(threads, count) - 1)]
    for member in crew:
        member.start()
    work(left)
    for member in crew:
        member.join()
    if failed:
        raise failed[0]


def threads_for(rows: int, least: int = 1 << 17) -> int:
    """Return on how many threads so many rows are worked on: none of them has fewer than least."""
    return int(_kernels.workers(rows, least))
