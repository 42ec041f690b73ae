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

COUNTED_BY_QUERIES = rule(
    "counted-by-queries",
    "assumed",
    "The workers of the engine cannot count with tallymark.",
    "{engine} grouped the rows by several queries, since its workers cannot count them in one "
    "scan: {reason}; the counts are the same",
    "; to count in one scan, install this version of tallymark on the workers",
)
