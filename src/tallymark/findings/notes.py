"""The rules of notes: assumptions about the rows, and numbers not to trust.

The code that reads rows or computes values decides when a rule applies; the wording is here.
"""

from tallymark.findings.rules import rule

# -- reading rows ----------------------------------------------------------------------------------

NO_CUT = rule("no-cut", "warning", "It is unclear what cuts the scores.", "{doubt}")

INEXACT_COUNTS = rule(
    "inexact-counts",
    "warning",
    "Counts exceed the integers that a float holds.",
    "{rows:,} rows are more than 2^53: counts are exact to 16 digits only",
)

CLUSTERS = rule(
    "clusters",
    "assumed",
    "Rows come in clusters.",
    "the {rows:,} rows come in {clusters} {size}, by {column}: intervals treat clusters, not rows, "
    "as independent",
)

CLIPPED = rule(
    "clipped",
    "assumed",
    "Probabilities lie beyond 0 or 1 by rounding.",
    "{model} holds values beyond 0 or 1 by less than {dust:g}, from rounding: they were clipped to "
    "0 and 1",
)

BINNED = rule(
    "binned",
    "assumed",
    "There are too many distinct scores to keep.",
    "{model} has too many distinct scores to keep: they are in {bins:,} bins; the ROC area "
    "provably lies from {low:.9g} to {high:.9g}, and other metrics have their own bounds",
)
BINNED_EXACTLY = BINNED.worded(
    "{model} has too many distinct scores to keep: they are in {bins:,} bins; each holds a single "
    "score"
)

NOT_PROBABILITIES = rule(
    "not-probabilities",
    "warning",
    "Scores are no probabilities.",
    "{column} holds {score:.6g}, outside 0 to 1: it is used for ranking, not as a probability",
)
SUM_OFF_ONE = NOT_PROBABILITIES.worded(
    "the scores of one row of {model} add up to 1 only within {deviation:.3g}: they are used as "
    "scores, not as probabilities"
)
LABELS_NOT_PROBABILITIES = NOT_PROBABILITIES.worded(
    "{model} holds {score:.6g}, outside 0 to 1: its scores are used for ranking, not as "
    "probabilities"
)
IN_PERCENT = "; if it is in percent, say reading={{'percent': True}}"
FOR_MISSING = (
    "; {codes} {where}may stand for a missing value: if so, leave such fields empty and say "
    "missing='drop'"
)
"""Remedies for scores outside 0 to 1."""

ONE_THRESHOLD = rule(
    "one-threshold",
    "warning",
    "Scores are decisions.",
    "{column} holds only 0 and 1, which are decisions: its ROC curve has one threshold, and the "
    "area under it is the balanced accuracy",
    ". Give probabilities or scores to judge how rows are ranked",
)

THRESHOLD_CHOSEN = rule(
    "threshold-chosen",
    "warning",
    "The threshold was chosen on the rows that are judged.",
    "{model} has no natural threshold, so {threshold:.6g} was chosen, which maximizes Youden's J "
    "on these rows. Its decisions look better here than on new rows",
    ": give a threshold, or report the Youden's J that optimal_threshold() expects on new rows",
)

BUDGET_ASSUMED = rule(
    "budget-assumed",
    "assumed",
    "No budget of a campaign was stated.",
    "no budget was stated, so decisions and numbers are those of contacting the best {share}",
    "; state another with budget='20%'",
)

ROWS_WITHOUT_PARTNER = rule(
    "rows-without-partner",
    "warning",
    "Rows of two joined tables have no partner.",
    "{mine:,} of {my_rows} of {table} have no true class in {other} and are left out; {theirs:,} "
    "of {their_rows} of {other} have no prediction in {table}",
    ". Complete both if the results shall hold for all rows",
)
WITHOUT_TRUTH, WITHOUT_PREDICTION = map(
    ROWS_WITHOUT_PARTNER.worded, ROWS_WITHOUT_PARTNER.sentence.split("; ")
)

PAIRS_LEFT_OUT = rule(
    "pairs-left-out",
    "assumed",
    "A file was saved without the rows of several models.",
    "the {rows:,} rows were saved without pairs: comparing models on them needs keep_pairs=True, "
    "and averages over classes may have wider intervals",
)

OTHER_LEVELS = rule(
    "other-levels",
    "assumed",
    "Files that are read together have different levels.",
    "the files have different levels ({levels}); all intervals are at {level:g}",
)

PREVALENCE = rule(
    "prevalence",
    "assumed",
    "The shares of the classes are assumed.",
    "in the field: {shares}. Rates within each class are those of these rows, and scores are not "
    "recalibrated",
)

# -- unused columns and suspicious patterns (possible leakage) -----------------------------------

DUPLICATE_ROWS = rule(
    "duplicate-rows",
    "warning",
    "Rows are copies of others in every column.",
    "{copies:,} of {rows:,} {are_copies} of another one in every column, including `{column}`; "
    "intervals treat them as independent",
    ". Remove them",
    check="duplicates",
    dependence=True,
)

REPEATED_IDS = rule(
    "repeated-ids",
    "warning",
    "The values of an unused id repeat.",
    "{average:.1f} rows per `{column}` on average (max {most:,}); intervals assume independent "
    "rows",
    ". Use cluster={quoted}",
    check="repeated_ids",
    dependence=True,
)

UNUSED_FOLDS = rule(
    "unused-folds",
    "assumed",
    "An unused column looks like folds.",
    "`{column}` looks like the {folds} folds of a cross-validation and is not used",
    "; fold={quoted} judges each",
)

TRAINING_ROWS = rule(
    "training-rows",
    "warning",
    "An unused column marks training rows.",
    "`{column}` marks {training:,} of {rows:,} rows as training rows, where a model looks better "
    "than on new ones",
    ". Leave them out, or judge each part with subgroup={quoted}",
    check="training_rows",
)

UNUSED_WEIGHTS = rule(
    "unused-weights",
    "assumed",
    "An unused column is named like weights.",
    "`{column}` is not used",
    "; if it holds sampling weights, say weight={quoted}",
)

LEAK = rule(
    "leak",
    "warning",
    "A model makes no error.",
    "{model} separates all {rows} at {threshold:.6g} (ROC area exactly 1): a possible leak or "
    "duplicated rows",
    ". Check that no feature holds the label, and that the model was trained on other rows",
    check="perfect",
)
LEAK_OF_DECISIONS = LEAK.worded(
    "{model} equals the true class in all {rows}: a possible leak",
    ". Check that it is not a copy of the label, and that the model was trained on other rows",
)

REPEATED_SCORES = rule(
    "repeated-scores",
    "warning",
    "Every distinct score occurs a multiple of some number of times.",
    "{model}: every distinct score occurs {times}, or a multiple: possible duplicated rows, as in "
    "an upsampled test set, which make intervals up to {factor:.2g} times too narrow",
    ". Use every row once",
    check="repeated_scores",
    dependence=True,
)

# -- problems in the rows --------------------------------------------------------------------------

FEW_CLUSTERS = rule(
    "few-clusters",
    "warning",
    "There are few clusters.",
    "there are only {clusters} clusters, too few to show how clusters vary: intervals are less "
    "reliable",
    "; use {least} or more",
)
ONE_CLUSTER = FEW_CLUSTERS.worded(
    "there is only one cluster, too few to show how clusters vary: no interval can be computed"
)

ONE_CLASS = rule(
    "one-class",
    "warning",
    "All rows are of one class.",
    "{label} is the class of all rows{where}: metrics that compare classes are undefined",
)

ABSENT_CLASS = rule(
    "absent-class",
    "warning",
    "A class has no row.",
    "{where}no row is of {labels}: {its} rates are undefined",
)

FEW_ROWS = rule(
    "few-rows",
    "warning",
    "A class has few rows.",
    "{rows}: so few that metrics which depend on them have wide intervals and change with every "
    "row",
)

IMBALANCE = rule(
    "imbalance",
    "warning",
    "Nearly all rows are of one class.",
    "{where}{share} of the rows are {label}: always predicting it has accuracy {accuracy:.3f}",
    ", so use balanced accuracy, MCC, precision and recall instead of accuracy",
)

FEW_DECIDE = rule(
    "few-decide",
    "warning",
    "Positives are so rare in the field that a few negatives outweigh them all.",
    "{few} of the {rows:,.0f} rows of {negative} {weigh} as much as all of {positive} in the "
    "field: metrics of the highest scores, such as average precision, depend on these few, look "
    "better than they are, and have too narrow intervals",
)

WEIGHTED = rule(
    "weighted",
    "warning",
    "Rows have weights.",
    "rows have weights: intervals treat rows as drawn independently, and are less reliable where "
    "few rows carry most weight",
)
WEIGHTED_IN_THE_FIELD = WEIGHTED.worded(
    "rows have weights, effective sample size {sizes}: intervals other than DeLong's use these "
    "sizes and are approximate"
)

DESIGN_EFFECT = rule(
    "design-effect",
    "assumed",
    "Rows come in clusters, whose cost can be measured.",
    "{whose}rows of one cluster {much} (ICC {icc:.2f} of correct decisions): the interval of "
    "accuracy is {wider:.1f} times as wide as for independent rows, and {rows:,} rows are as "
    "precise as {effective:,} independent ones",
)
NO_DESIGN_EFFECT = DESIGN_EFFECT.worded(
    "{whose}rows of one cluster {much} (ICC {icc:.2f} of correct decisions): the interval of "
    "accuracy is {wider:.1f} times as wide as for independent rows"
)
FEW_CLUSTERS_DECIDE = DESIGN_EFFECT.worded(
    "{whose}the interval of accuracy is {wider:.1f} times as wide as for independent rows: one "
    "cluster has {largest} of the rows, so few clusters decide"
)

# -- values not to trust ---------------------------------------------------------------------------

ONE_DECISION = rule(
    "one-decision",
    "warning",
    "A model decides the same for every row.",
    "{model} predicts {label} for every row",
    ": try another threshold",
)
ABOVE_EVERY_SCORE = ONE_DECISION.worded(
    "the threshold {threshold:.6g} of {model} lies above every score ({low:.3g} to {high:.3g}), so "
    "every row is predicted {label}",
    "; give one among the scores",
)
PERCENT_ABOVE_EVERY_SCORE = ABOVE_EVERY_SCORE.worded(remedy="; did you mean {meant:.6g}?")

UNDEFINED = rule(
    "undefined",
    "warning",
    "Metrics that are looked at first are undefined.",
    "{model}: {metrics} undefined ({reason}); they are left out, not 0",
)

ROWS_APART = rule(
    "rows-apart",
    "warning",
    "Intervals were computed without whole rows.",
    "{model}: {reason} ({metrics})",
)

FEW_CARRY = rule(
    "few-carry",
    "warning",
    "A few rows or clusters carry a number.",
    "{reasons}, so the interval may be too narrow",
)

HELD_IMPOSSIBLE = rule(
    "held-impossible",
    "warning",
    "Probability 0 was given to a class that occurred.",
    "{model} gave probability 0 to a class that then occurred, so its {metric} is infinite",
    ". Clip or calibrate its scores.",
)

REVERSED = rule(
    "reversed",
    "warning",
    "The scores rank worse than chance.",
    "{model} ranks worse than chance (ROC area {area})",
    ": check which class the score is for",
)

# -- rows with several labels ----------------------------------------------------------------------

ONE_LABEL_A_ROW = rule(
    "one-label-a-row",
    "warning",
    "Every row has exactly one of several labels.",
    "every row has exactly one label",
    ": if the classes are mutually exclusive, give the true class of each row as one column "
    "(y_true.argmax(axis=1) of an array)",
    several_labels=True,
)

ABSENT_LABEL = rule(
    "absent-label",
    "warning",
    "A label has no row.",
    "no row has the label {labels}: rates among {its} rows are undefined, and so are averages over "
    "all labels, unless skip_undefined=True",
    several_labels=True,
)

FEW_ROWS_OF_A_LABEL = rule(
    "few-rows-of-a-label",
    "warning",
    "Fewer than 30 rows have a label.",
    "fewer than 30 rows have the {label_or_labels} {labels}: {its} rates and the averages over "
    "labels are uncertain",
    "; collect more such rows",
    several_labels=True,
)

NEVER_PREDICTED = rule(
    "label-never-predicted",
    "warning",
    "A model never predicts a label that rows have.",
    "{model} never predicts the {label_or_labels} {labels}: {its} precision is undefined, and so "
    "is its average over all labels",
    ", unless skip_undefined=True",
    several_labels=True,
)

EMPTY_ROWS = rule(
    "empty-rows",
    "assumed",
    "A metric of each row is undefined in rows without a label.",
    "{model}: {metrics}, where no label is predicted or true; averages over rows (samples) count "
    "them as 0, unless skip_undefined=True",
    several_labels=True,
)
