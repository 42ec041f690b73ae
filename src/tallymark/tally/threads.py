"""Parallel loops over NumPy or kernel calls, on all available cores."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress

from tallymark import _kernels


def side_by_side(task: Callable[[int], object], count: int, threads: int) -> None:
    """Call ``task(0)`` to ``task(count - 1)``, on at most so many threads.

    Each thread starts with a run of adjacent tasks, which may share intermediate results, and then
    takes tasks from the end of other runs. If a thread cannot start, the others take its run.

    >>> done = []
    >>> side_by_side(done.append, 5, threads=2)
    >>> sorted(done)
    [0, 1, 2, 3, 4]
    """
    threads = min(threads, count)
    if threads < 2:
        for i in range(count):
            task(i)
        return
    import threading

    runs = [deque(range(count * t // threads, count * (t + 1) // threads)) for t in range(threads)]
    failed: list[BaseException] = []

    def work(mine: int) -> None:
        try:
            for run in (runs[mine], *runs[mine + 1 :], *runs[:mine]):
                take = run.popleft if run is runs[mine] else run.pop
                while not failed:
                    try:
                        i = take()
                    except IndexError:
                        break
                    task(i)
        except BaseException as error:
            failed.append(error)

    crew: list[threading.Thread] = []
    with suppress(RuntimeError, MemoryError):  # no more threads available
        for t in range(1, threads):
            member = threading.Thread(target=work, args=(t,))
            member.start()
            crew.append(member)
    work(0)
    for member in crew:
        member.join()
    if failed:
        raise failed[0]


def threads_for(rows: int, least: int = 1 << 17) -> int:
    """Return the number of threads for some rows, each with at least ``least`` rows.

    There are no more of them than the cores that affinity and the control group's quota leave
    this process (``kernels/cores.hpp``).
    """
    return int(_kernels.workers(rows, least))
