"""Notes on scores that an engine counts in bins, and on what is judged from these bins."""

from tallymark.core import rule

SUBGROUPS_IN_BINS = rule(
    "subgroups-in-bins",
    "warning",
    "The scores of subgroups are in bins.",
    "{model} holds too many distinct scores to keep for every subgroup: there, scores in one of "
    "{bins:,} bins count as ties, and the bounds on the area under a subgroup's ROC curve are up "
    "to {width:.2g} wide",
)

PAIRS_IN_BINS = rule(
    "pairs-in-bins",
    "assumed",
    "The rows of several models or classes are kept in bins.",
    "the rows are kept side by side in about {bins:,} bins per column of scores; values do not "
    "depend on these bins, only intervals of differences and of averages over classes do",
)
