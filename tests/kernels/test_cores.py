"""Threads: as many as the cores that affinity and the control group's quota leave."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tallymark import _kernels

V2, V1 = "sys/fs/cgroup", "sys/fs/cgroup/cpu,cpuacct"


def root_with(tmp_path, groups, **files):
    """Return a folder that holds /proc/self/cgroup and these files of control groups."""
    paths = {"proc/self/cgroup": groups} | {k.replace("|", "/"): v for k, v in files.items()}
    for name, text in paths.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    return str(tmp_path)


@pytest.mark.parametrize(
    ("limit", "cores"),
    [("200000 100000", 2), ("150000 100000", 2), ("10000 100000", 1), ("max 100000", 0),
     ("200000 0", 0), ("", 0), ("nonsense", 0), ("9e99 1", 1_000_000)],
)  # fmt: skip
def test_version_2_has_both_numbers_in_one_file(tmp_path, limit, cores):
    assert _kernels.quota(root_with(tmp_path, "0::/", **{f"{V2}/cpu.max": limit})) == cores


@pytest.mark.parametrize(("quota", "cores"), [("300000", 3), ("50000", 1), ("-1", 0)])
def test_version_1_has_a_file_for_each(tmp_path, quota, cores):
    root = root_with(
        tmp_path,
        "5:memory:/box\n4:cpu,cpuacct:/box\n3:cpuset:/\n0::/",
        **{f"{V1}/box/cpu.cfs_quota_us": quota, f"{V1}/box/cpu.cfs_period_us": "100000"},
    )
    assert _kernels.quota(root) == cores


def test_the_least_of_a_group_and_those_that_hold_it_counts(tmp_path):
    files = {f"{V2}/a/b/cpu.max": "max 100000", f"{V2}/a/cpu.max": "400000 100000"}
    root = root_with(tmp_path, "0::/a/b", **files, **{f"{V2}/cpu.max": "800000 100000"})
    assert _kernels.quota(root) == 4


def test_a_container_that_does_not_see_its_group_by_name_has_the_limit_at_the_top(tmp_path):
    files = {f"{V1}/cpu.cfs_quota_us": "200000", f"{V1}/cpu.cfs_period_us": "100000"}
    assert _kernels.quota(root_with(tmp_path, "4:cpu,cpuacct:/docker/12ab", **files)) == 2


@pytest.mark.parametrize("groups", ["", "nonsense", "4:cpuset:/", "0::/"])
def test_where_there_is_no_limit_there_is_none(tmp_path, groups):
    assert _kernels.quota(root_with(tmp_path, groups)) == 0
    assert _kernels.quota(str(tmp_path / "absent")) == 0


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no process")
def test_threads_are_no_more_than_affinity_and_the_quota_leave():
    allowed = len(os.sched_getaffinity(0))
    quota = _kernels.quota("") or allowed
    assert _kernels.workers(1 << 30, 1) == min(allowed, quota)
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from tallymark.tally.threads import threads_for; print(threads_for(1 << 30))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stdout == "1\n"
