"""The rules of comparisons."""

from tallymark.core import THRESHOLD_CHOSEN, rule

NO_THRESHOLD = THRESHOLD_CHOSEN.worded(
    "no threshold is stated, so FMR and FNMR are given at the equal error rate and at fixed FMR "
    "only",
    remedy="",
    severity="assumed",
)

WRONG_WAY = rule(
    "wrong-way",
    "warning",
    "Genuine scores are mostly lower than impostor scores.",
    "genuine scores of {model} are mostly lower than impostor scores",
    ". If they are distances, say higher_is='impostor'; otherwise check whether the two kinds were "
    "swapped",
)
