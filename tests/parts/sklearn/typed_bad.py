"""What a user may mistype: every line with a mark is refused by both type checkers."""

from __future__ import annotations

from tallymark.sklearn import f1_score, roc_auc_score

y = [0, 1, 1, 0, 1]

f1_score(y, y, averag=None)  # mypy: call-overload, pyright: reportCallIssue
f1_score(y, y, average="makro")  # mypy: call-overload, pyright: reportArgumentType
roc_auc_score(y)  # mypy: call-overload, pyright: reportCallIssue
