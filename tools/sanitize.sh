#!/bin/sh
# Build the kernels with ASan and UBSan and run their tests on them: sanitize.sh PYTHON [FOLDER].
set -e
python=$1
folder=${2:-build/sanitize}
bin=$(cd "$(dirname "$python")" && pwd)
PATH=$bin:$PATH cmake -S . -B "$folder" -G Ninja -DTALLYMARK_SANITIZE=ON \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPython_EXECUTABLE="$bin/$(basename "$python")" >/dev/null
PATH=$bin:$PATH cmake --build "$folder"
compiler=${CXX:-c++}
# A finding is written to the terminal past pytest, which therefore captures no descriptor.
# libstdc++ too, so that ASan sees its exceptions; Python's own memory comes from malloc, whose
# blocks ASan guards.
LD_PRELOAD="$($compiler -print-file-name=libasan.so) $($compiler -print-file-name=libstdc++.so.6)" \
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
    UBSAN_OPTIONS=print_stacktrace=1 \
    PYTHONMALLOC=malloc PYTHONPATH="$PWD/tools:$PYTHONPATH" \
    SANITIZED_KERNELS=$(ls "$folder"/_kernels*.so) FUZZ_ROUNDS=${FUZZ_ROUNDS:-50} \
    "$python" -m pytest -q --capture=sys -p sanitized tests/kernels tests/tally/test_scores.py \
    tests/tally/test_bins.py tests/tally/test_arrays.py \
    tests/tally/test_few.py tests/tally/test_subgroups.py
