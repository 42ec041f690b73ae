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
    numbers={
        "aurc": "The area under the risk-coverage curve: the mean, over all shares of cases that "
        "are answered, of the share of wrong answers among them; from 0, lower is better. Compute "
        "it with ev.refer() or tallymark refer.",
        "augrc": "The area under the generalized risk-coverage curve, of wrong answers over all "
        "cases instead of those that are answered; from 0 to 1/2, lower is better. Compute it with "
        "ev.refer() or tallymark refer.",
        "e_aurc": "The excess of AURC over that of the best order of the answers; 0 is best. "
        "Compute it with ev.refer() or tallymark refer.",
    },
    methods={"refer": "refer:refer"},
    commands=("command",),
    curves={"curves": "cost"},
)
