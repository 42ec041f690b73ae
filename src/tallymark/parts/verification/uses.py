"""The uses of verification: error rates and their curves."""

from __future__ import annotations

from dataclasses import replace

from tallymark import Evaluation
from tallymark.core import Account, Section, Use, words
from tallymark.parts.verification.blocks import rates_table
from tallymark.parts.verification.rates import verification
from tallymark.parts.verification.words import AT_FMR, TITLES, about, few_errors, finding, lead


def _account(ev: Evaluation) -> Account | None:
    """Return the error rates of each system in the words of verification."""
    verifications = verification(ev)
    if not verifications:
        return None
    return Account(
        about=about(ev, next(iter(verifications.values()))),
        headline=", ".join(f"EER of {n} {words.value(v.eer)}" for n, v in verifications.items()),
        verdict=lead([*verifications.values()], ev.level),
        title="Error rates, and what few errors leave open",
        sections=[
            Section(v.system, rates_table(v, ev.level), few_errors(v))
            for v in verifications.values()
        ],
        finding=finding([*verifications.values()]),
    )


VERIFICATION = Use(
    headline=("equal_error_rate", *AT_FMR),
    brief=("equal_error_rate", *AT_FMR),
    first=("det", "frr"),
    titles=TITLES,
    only=(
        "equal_error_rate",
        "equal_error_rate_hull",
        "equal_error_rate_low",
        "equal_error_rate_high",
        *AT_FMR,
        "roc_auc",
        "roc_hull_auc",
        "decidability",
        "min_cllr",
        "cllr",
        "kolmogorov_smirnov",
    ),
    changes={
        "det": {
            "words": "False non-matches against false matches on axes of normal deviates, which "
            "spread out small errors; down and left is better. Normal scores make a straight line.",
        },
        "frr": {
            "sides": ("FNMR", "FMR"),
            "words": "As the threshold rises FMR falls and FNMR rises; the dot is the equal error "
            "rate.",
        },
    },
    decisions=False,
    account=_account,
    arguments={"truth": "kind", "people": "probe=..., reference"},
)
"""The use of comparison scores in :func:`tallymark.verify`."""

BIOMETRICS = replace(
    VERIFICATION,
    headline=(*VERIFICATION.headline, "roc_auc", "decidability"),
    brief=(*VERIFICATION.headline, "roc_auc", "decidability"),
    only=(),
    decisions=True,
    advice="ranking",
    needs="scores of two classes, genuine and impostor",
    arguments={},
)
"""The use of rows that :func:`tallymark.evaluate` judges for biometrics."""
