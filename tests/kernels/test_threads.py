"""Threads that the system does not give: everything is computed on fewer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tallymark as tm

PRELOADED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>

static int left = -1;
static int refused = 0;
void threads_left(int n) { left = n; }
int threads_refused(void) { return refused; }

int pthread_create(pthread_t* id, const pthread_attr_t* how, void* (*run)(void*), void* with) {
  if (left == 0) return ++refused, EAGAIN;
  if (left > 0) --left;
  int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
      (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(
          RTLD_NEXT, "pthread_create");
  return real(id, how, run, with);
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t* cores) {
  (void)process;
  CPU_ZERO_S(size, cores);
  for (int i = 0; i < 8; ++i) CPU_SET_S(i, size, cores);
  return 0;
}
"""

COUNTING = """
import ctypes
import sys
import numpy as np
import tallymark as tm
from tallymark import metrics
from tallymark.tally.threads import side_by_side

lib = ctypes.CDLL(None)
rng = np.random.default_rng(0)
y, s = rng.integers(0, 2, 1 << 20), rng.random(1 << 20).round(4)
few = slice(0, 100_000)

def work():
    done = []
    side_by_side(done.append, 20, 8)
    tally = tm.LabelTally.from_arrays(y, s > 0.5)
    area, counted = metrics.roc_auc(y, s), tm.ScoreTally.from_arrays(y, s)
    texts = np.array(["no", "yes"])[y]
    return sorted(done), tally.counts.tolist(), area, counted.counts.sum(0).tolist(), \\
        tm.LabelTally.from_arrays(texts, texts).counts.tolist()

before = work()
lib.threads_left(int(sys.argv[1]))
assert work() == before
assert lib.threads_refused() > 3
print("the same")
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs Linux and a C compiler, to refuse threads by a preloaded library")
    folder = tmp_path_factory.mktemp("threads")
    (folder / "threads.c").write_text(PRELOADED, encoding="utf-8")
    made = folder / "threads.so"
    command = [compiler, "-shared", "-fPIC", "-o", made, folder / "threads.c", "-ldl"]
    subprocess.run(command, check=True)
    return made


@pytest.mark.parametrize("left", [0, 1, 2])
@pytest.mark.slow
def test_a_thread_that_cannot_start_means_fewer_threads(library, left):
    preloaded = " ".join(filter(None, [os.environ.get("LD_PRELOAD"), str(library)]))
    # NumPy's own library would start threads that nobody asked for.
    environment = os.environ | {"LD_PRELOAD": preloaded, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", COUNTING, str(left)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout) == (0, "the same\n"), done.stderr[-2000:]


def test_other_threads_of_python_go_on_while_a_kernel_counts():
    scores, bins = np.random.default_rng(0).random(500_000), tm.Bins(np.linspace(0, 1, 200_001), 1)
    beats, done = [], threading.Event()

    def beat():
        while not done.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    start = time.perf_counter()
    bins._place(scores)
    end = time.perf_counter()
    done.set()
    thread.join()
    third = (end - start) / 3
    assert any(start + third < t < end - third for t in beats)
