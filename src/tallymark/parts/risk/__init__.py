"""Risk and coverage of a classifier that may refer cases to a human."""

from tallymark.part import Part

PART = Part(
    __name__,
    names={"AnswerTally": "answers:AnswerTally", "refer": "refer:refer"},
    methods={"refer": "refer:refer"},
    commands=("command",),
    curves={"curves": "lift"},
)
