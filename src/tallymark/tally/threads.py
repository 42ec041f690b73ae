"""Tasks on all cores: for loops whose body is NumPy's or a kernel's, which run side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress

from tallymark import _kernels


def side_by_side(task: Callable[[int], object], count: int, threads: int) -> None:
    """Call ``task(0)`` to ``task(count - 1)``, on at most so many threads.

    Each has a run of neighbours to itself, which may share what they compute, and then takes what
    others have left, from the end of their runs. A thread that cannot start leaves its run to them.

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
    with suppress(RuntimeError, MemoryError):  # the system has no more threads
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
    """Return on how many threads so many rows are worked on: none of them has fewer than least.

    There are no more of them than the cores that affinity and the control group's quota leave
    this process (``kernels/cores.hpp``).
    """
    return int(_kernels.workers(rows, least))
