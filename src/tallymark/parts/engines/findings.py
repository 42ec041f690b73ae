"""The note on subgroups whose scores an engine counts in bins."""

from tallymark.core import rule

SUBGROUPS_IN_BINS = rule(
    "subgroups-in-bins",
    "warning",
    "The scores of subgroups are in bins.",
    "{model} holds too many distinct scores to keep for every subgroup: there, scores in one of "
    "{bins:,} bins count as ties",
)
