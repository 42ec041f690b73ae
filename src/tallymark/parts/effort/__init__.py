"""The effort of rows: the value of an order of rows where each costs effort, and its profit."""

from tallymark.part import Part, Role

PART = Part(
    __name__,
    roles=(
        Role(
            "effort",
            plural="efforts",
            such_as="its lines of code",
            about="The cost of inspecting a row, such as its lines of code: for "
            '``recall_at_effort``, ``p_opt``, ``initial_false_alarms`` and the curve "effort", '
            "which process the rows from the highest score down.",
            tally="tally:EffortTally",
        ),
    ),
    metrics={"effort_aware": "r_precision"},
    headline={
        "recall_at_20_percent_effort": "average_precision",
        "p_opt": "recall_at_20_percent_effort",
        "initial_false_alarms": "p_opt",
    },
    curves={"curves": "lift"},
    in_use={"defects": {"recall_at_20_percent_effort": "balance", "effort": "roc"}},
    blocks="",
)
