"""The scripts here are read by type checkers; one of them is wrong on purpose."""

collect_ignore = ["good.py", "bad.py"]
