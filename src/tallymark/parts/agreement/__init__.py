"""Agreement of raters: coefficients from counts of the ratings of each subject."""

from tallymark.part import Part

PART = Part(
    __name__,
    names={"RatingTally": "tally:RatingTally", "agree": "coefficients:agree"},
    commands=("command",),
    numbers={
        "fleiss_kappa": "Agreement of many raters beyond chance: (pa - pe) / (1 - pe), with pa the "
        "agreement of pairs of ratings and pe from how often all raters together give each "
        'category. Compute it from ratings with tm.agree(ratings, "fleiss_kappa") or '
        "tallymark agree.",
        "percent_agreement": "The share of pairs of ratings of one subject that agree, not "
        "corrected for chance. Compute it from ratings with tm.agree or tallymark agree.",
    },
)
