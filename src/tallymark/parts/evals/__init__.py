"""Graded answers, such as those of language models, and leaderboards of the models."""

from tallymark.part import Part

PART = Part(
    __name__,
    names={
        "GradeTally": "tally:GradeTally",
        "evals": "judge:evals",
        "plan_evals": "planning:plan_evals",
        "win_rate": "judge:win_rate",
    },
    judged_elsewhere=("judge:graded_said",),
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
