"""The effort of rows: the value of an order of rows where each costs effort, and its profit."""

from tallymark.part import Part

PART = Part(
    __name__,
    metrics={"effort_aware": "r_precision"},
    headline={
        "recall_at_20_percent_effort": "average_precision",
        "p_opt": "recall_at_20_percent_effort",
        "initial_false_alarms": "p_opt",
    },
    curves={"curves": "lift"},
)
