"""Graded answers, such as those of language models, and leaderboards of the models."""

from tallymark.part import Part, Word

PART = Part(
    __name__,
    names={
        "GradeTally": "tally:GradeTally",
        "evals": "judge:evals",
        "plan_evals": "planning:plan_evals",
        "win_rate": "judge:win_rate",
    },
    inputs=("given:named",),
    also_read=("reading:wide_grades",),
    without_truth=("given:without_truth",),
    of_graded=("given:of_logs",),
    words=(
        Word(
            "graded",
            "The column that says which answers are right, or grades them from 0 to 1; several "
            "columns are those of several models.",
            several=True,
        ),
        Word("item", "The column that names the question of a graded answer."),
        Word("epoch", "The column that tells repeated answers to a question apart."),
        Word("task", "The column of the task of a graded answer."),
        Word("scorer", "Whose grades to use, if there are several scorers.", metavar="NAME"),
        Word(
            "errors",
            "Whether answers without a grade are left out, with a warning, or count as wrong.",
            metavar="WORD",
            among=("left-out", "wrong"),
        ),
    ),
    commands=("command",),
    numbers={
        "mean_grade": "The mean grade of a model over questions, the accuracy if each grade is 0 "
        "or 1. Compute it from graded answers with tm.evals or tallymark evals.",
        "pass_at_k": "pass@k: the probability that at least one of k answers to a question is "
        "right, the mean over questions of 1 - C(n-c, k) / C(n, k) with c of n answers right. "
        "Compute it with tm.evals(...).pass_at(k) or tallymark evals --pass-at.",
        "pass_hat_k": "pass^k: the probability that all of k answers to a question are right, the "
        "mean over questions of C(c, k) / C(n, k) with c of n answers right. Compute it with "
        "tm.evals(...).pass_all(k) or tallymark evals --pass-at.",
        "epoch_consistency": "The share of pairs of answers to one question that are both right "
        "or both wrong. Compute it with tm.evals(...).consistency().",
        "win_rate": "The share of comparisons that a model wins, with ties as half a win. Compute "
        "it with tm.win_rate.",
    },
)
