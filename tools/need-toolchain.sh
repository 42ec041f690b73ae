#!/bin/sh
# Say in one sentence what a fresh machine lacks to build tallymark; install it where we may.
python=${PYTHON:-python3}

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

install() {
    may_install && apt-get update -qq >/dev/null 2>&1 &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null 2>&1
}

if ! command -v "$python" >/dev/null 2>&1; then
    echo "tallymark needs Python 3.11 or newer, and '$python' is not there: install it, or say make PYTHON=/path/to/python3" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "tallymark needs Python 3.11 or newer, and '$python' is $("$python" -V 2>&1 | head -n 1): say make PYTHON=/path/to/python3.11" >&2
    exit 1
fi
if ! "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
    install python3-venv || {
        echo "tallymark needs Python's venv module: install the package python3-venv" >&2
        exit 1
    }
fi
if [ -n "$CXX" ] && ! command -v "$CXX" >/dev/null 2>&1; then
    echo "tallymark needs a C++17 compiler, and CXX names '$CXX', which is not there: set CXX to one that is" >&2
    exit 1
fi
if ! command -v "${CXX:-c++}" >/dev/null 2>&1; then
    install g++ || {
        echo "tallymark needs a C++17 compiler and finds none: install g++ or clang++, or set CXX" >&2
        exit 1
    }
fi
