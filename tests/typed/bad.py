"""What a user may mistype: every line with a mark is refused by both type checkers."""

from __future__ import annotations

import tallymark as tm

y = [0, 1, 1, 0, 1]
score = [0.2, 0.9, 0.4, 0.3, 0.8]
ev = tm.evaluate(y, score)

tm.metrics.f_beta(y, y, betta=2)  # mypy: call-overload, pyright: reportCallIssue
tm.metrics.f_beta(y, y, 2)  # mypy: call-overload, pyright: reportCallIssue
tm.metrics.f_beta(y, y, beta="2")  # mypy: call-overload, pyright: reportArgumentType
tm.metrics.nonsense(y, y)  # mypy: attr-defined, pyright: reportAttributeAccessIssue
tm.nonsense(y, y)  # mypy: attr-defined, pyright: reportAttributeAccessIssue
tm.metrics.mcc(1, y)  # mypy: call-overload, pyright: reportArgumentType
tm.metrics.f1(y, y, average="overall")  # mypy: call-overload, pyright: reportArgumentType
tm.metrics.partial_roc_auc(y, score, axis="fp")  # mypy: call-overload, pyright: reportArgumentType
tm.metrics.brier(y, score, average="macro")  # mypy: arg-type, pyright: reportArgumentType
text: str = tm.metrics.f1(y, y)  # mypy: assignment, pyright: reportAssignmentType
tm.evaluate(y, score, positve=1)  # mypy: call-arg, pyright: reportCallIssue
ev["f1"].lower()  # mypy: attr-defined, pyright: reportAttributeAccessIssue
ev[1]  # mypy: index, pyright: reportArgumentType
