"""Risk and coverage of a classifier that may refer cases to a human."""

from tallymark.part import Part

PART = Part(
    __name__,
    names={
        "AnswerTally": "answers:AnswerTally",
        "SetTally": "sets:SetTally",
        "prediction_sets": "sets:prediction_sets",
        "refer": "refer:refer",
    },
    metrics={"measures": "cllr"},
    methods={"refer": "refer:refer"},
    commands=("command",),
    curves={"curves": "cost"},
    panels={"refer": "panel:panel"},
)
