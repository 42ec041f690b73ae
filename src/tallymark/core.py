"""What parts may import from the core, besides the public names of the package.

Each line is a module and the names it offers; a name is imported on first access.
"""

from importlib import import_module
from typing import Any

_OFFERED = {
    "tallymark": "contract",
    "tallymark.api": "Asked evaluation_of for_use",
    "tallymark.contract": (
        "ANY FLAG NUMBERS PATH TEXT TEXTS checked made_by one_of shown trusted whole"
    ),
    "tallymark.curve": "CURVES Axis Curve curve",
    "tallymark.curve.declarations": "DEPTH FPR TPR",
    "tallymark.curve.definitions": "DIAGONAL Points",
    "tallymark.display": "Display Document Named dialect fields_of json_number plain_data",
    "tallymark.errors": (
        "NotPredictionsError check_name check_word choices harmless listed shortened"
    ),
    "tallymark.findings.catalogue": "codes",
    "tallymark.findings.finding": "Finding",
    "tallymark.findings.notes": "CLUSTERS NOT_PROBABILITIES THRESHOLD_CHOSEN",
    "tallymark.findings.rules": "rule",
    "tallymark.infer.aims": "Plan",
    "tallymark.infer.beta_posterior": "BetaPosterior matched_beta",
    "tallymark.infer.cautions": "dependence one_decision",
    "tallymark.infer.compare": "DECISIVE",
    "tallymark.infer.corrected_t": (
        "FoldTest Reasoned corrected_t differences fold_test refuse_large"
    ),
    "tallymark.infer.correlated_t": "Posterior correlated_t",
    "tallymark.infer.delong": "area_posterior one_by_chance",
    "tallymark.infer.difference": "Difference",
    "tallymark.infer.each_subgroup": "each_subgroup",
    "tallymark.infer.five_by_two": "paired_5x2_f paired_5x2_t",
    "tallymark.infer.influence": "Influence of_rows",
    "tallymark.infer.intervals": "Inference interval_of",
    "tallymark.infer.kept_limits": "SHARES at_most rows_to_keep",
    "tallymark.infer.methods": "beta_interval",
    "tallymark.infer.multiplicity": "holm",
    "tallymark.infer.power": "rows_for_effect",
    "tallymark.infer.sampler": "Sampler moments percentile_bounds",
    "tallymark.infer.samples": "critical_value percentile_level scaled",
    "tallymark.infer.significance": "Evidence mcnemar",
    "tallymark.infer.standings": "maximal_sets pair_of proved_pairs rank_ranges",
    "tallymark.listing": "Listing",
    "tallymark.metric": "METRICS ByMetric Metric get metric",
    "tallymark.metric.correlation": "correlations midranks",
    "tallymark.metric.matrix": "misses",
    "tallymark.metric.measure": "Statistic refuse_no_probability",
    "tallymark.metric.proportion": "quantile wilson",
    "tallymark.metric.rank": "ranking",
    "tallymark.metric.registry": "OrderedMean ratio",
    "tallymark.metric.requirement": "Rule Side margin requirement",
    "tallymark.metric.retrieval": "check_target first_of",
    "tallymark.metric.threshold": "NO_POSITIVES NO_ROWS",
    "tallymark.output": "STANDARD_OUTPUT ready write_text",
    "tallymark.part": "added answer",
    "tallymark.quantities": "count many number p_is p_value percent share with_article",
    "tallymark.reading.chunks": (
        "ArrayTable GROUPS MISSING WHOLE Chunk FrameTable count_scores read_texts released"
    ),
    "tallymark.reading.classes": "settle_classes typed",
    "tallymark.reading.columns": "ModelRoles Roles unused",
    "tallymark.reading.delimited": "MOST_COLUMNS NUMBER too_many_columns",
    "tallymark.reading.files": "MEMORY FileTable",
    "tallymark.reading.given_tallies": "from_tallies",
    "tallymark.reading.indicators": "has_several_labels",
    "tallymark.reading.ingest": "Classes EXACT Job RowCounter remedy_of_missing without_codes",
    "tallymark.reading.join": "JoinSides Joined repeated_key",
    "tallymark.reading.json_rows": "write_lines",
    "tallymark.reading.kinds": "Reader kind_of readers unpacked_name",
    "tallymark.reading.layouts": "Layout",
    "tallymark.reading.long_form": "names_models",
    "tallymark.reading.look": "Look",
    "tallymark.reading.memory": "width_of",
    "tallymark.reading.models": "CountedRows Model ModelCounts decide refuse_beyond_percent",
    "tallymark.reading.names": ("COUNT TOTALS bare is_count is_usual meaning must_have names_of"),
    "tallymark.reading.profile": "Profile Table all_rows first_rows profile_of",
    "tallymark.reading.readers": "Request look_of open_table read_whole roles_of",
    "tallymark.reading.result_table": (
        "UNITS Results Unit canonical chosen_columns metric_of read_metric read_results"
    ),
    "tallymark.reading.scan": "configure identifier literal",
    "tallymark.reading.small": "Cells SmallFile",
    "tallymark.reading.source": "Source is_path",
    "tallymark.reading.unpacking": "STDIN Attribute Budget Opened Written first_bytes received",
    "tallymark.reading.whole_columns": "code_names whole_column",
    "tallymark.report": "artists blocks drawing svg words",
    "tallymark.report.blocks": (
        "GAP Block Bullets Cell Chart Folded Grid Group Headline Mark Panel Paragraph Row "
        "Style paragraphs"
    ),
    "tallymark.report.codes": "said_with",
    "tallymark.report.evaluation": "once only",
    "tallymark.report.leaderboards": (
        "chart_of_means choice groups_of_models models_named not_told_apart rank_range who_beats"
    ),
    "tallymark.report.pieces": "TABLE_OF_NUMBERS filled",
    "tallymark.report.subjects.summary": "headline in_force",
    "tallymark.report.uses": "Account Section Use use_called",
    "tallymark.report.words": ("chance_of enumerated grouped interval interval_head said title"),
    "tallymark.tables": "metric_row",
    "tallymark.tally.arrays": (
        "MANY_CLASSES MOST_SUBGROUPS Coded Floats Label are_numbers as_array as_counts "
        "as_scores code_labels find_positive fraction_of_label incomplete "
        "is_alphabetical is_table join_labels keep_complete matrix_to_numpy "
        "narwhals_frame refuse_duplicates refuse_too_many tabulate to_numpy whole_rows"
    ),
    "tallymark.tally.bins": "BinnedCounts Bins",
    "tallymark.tally.labels": "Missing one_vs_rest",
    "tallymark.tally.io": "Saved array floats numbers",
    "tallymark.tally.joint": "PairedPredictions",
    "tallymark.tally.merge": "Tally adds axis lines",
    "tallymark.tally.polarity": "is_positive",
    "tallymark.tally.role_tally": "RoleTally role_tallies",
    "tallymark.tally.score_counts": "AnswerSums answer_sums at placement_sums",
    "tallymark.tally.scores": "ScoreCounts",
    "tallymark.tally.subgroups": "Key SubgroupCounts SubgroupModel combined",
    "tallymark.tally.sums": "Sums",
    "tallymark.verbs": "p_beyond_draws",
}
HOMES = {name: module for module, names in _OFFERED.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'tallymark.core' has no attribute {name!r}")
    home = import_module(HOMES[name])
    return getattr(home, name, None) or import_module(f"{home.__name__}.{name}")
