"""The results of the lab in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tallymark.core import METRICS, enumerated, percent, words

if TYPE_CHECKING:
    from tallymark.parts.lab.results import Lab, Reaction

MOST_MEASURES = 6
"""If more metrics sometimes notice a failure, only the three with the most power are named."""


def measure(metric: str) -> str:
    """Return a metric as it stands within a sentence, or the name of a user's own."""
    if metric in words.SHORT_TITLES:
        return words.SHORT_TITLES[metric]
    return METRICS[metric].in_a_sentence if metric in METRICS else words.text(metric)


def reactions(failure: str, what: str, of_failure: Iterable[Reaction]) -> str:
    """Return which metrics notice a failure, which look better, and which do neither."""
    of: dict[str, list[Reaction]] = {}
    for r in of_failure:
        noticing = r.effect in ("worse", "higher", "lower")
        of.setdefault("noticed" if noticing else r.effect, []).append(r)
    noticed = of.get("noticed", [])
    reliable = [measure(r.metric) for r in noticed if r.noticed]
    parts = [f"noticed by {enumerated(reliable)}"] if reliable else []
    if at_times := [r for r in noticed if not r.noticed]:
        few = sorted(at_times, key=lambda r: -r.power)
        few = few[:3] if len(few) > MOST_MEASURES else few
        more = [f"{len(at_times) - len(few)} more"] if len(few) < len(at_times) else []
        lead = "at times by" if reliable else "noticed at times by"
        parts.append(f"{lead} {enumerated([*map(_with_power, few), *more])}")
    for name, (does, do) in _DO.items():
        if some := [*map(_with_power, of.get(name, []))]:
            parts.append(f"{enumerated(some)} {does if len(some) == 1 else do}")
    if none := [measure(r.metric) for r in of.get("none", [])]:
        one = f"not noticed by {enumerated(none)}"
        rest = f"not noticed by any {'other ' if parts else ''}metric"
        parts.append(one if len(none) <= MOST_MEASURES else rest)
    return f"{failure} ({what}): {'; '.join(parts)}."


_DO = {
    "better": ("looks better", "look better"),
    "noisier": ("varies more without moving on average", "vary more without moving on average"),
    "undefined": ("is mostly undefined", "are mostly undefined"),
}
"""How metrics react that do not notice a failure: verbs for one metric, and for several."""


def _with_power(r: Reaction) -> str:
    """Return a metric, with its power if that is below 80 %."""
    alone = r.noticed or r.effect == "undefined"
    return measure(r.metric) + ("" if alone else f" ({percent(r.power, 0)})")


def about_samples(lab: Lab) -> str:
    """Return how power is defined, with its Monte Carlo standard error."""
    error = max(r.error for r in lab.reactions)
    return (
        f"Power: the share of {lab.draws:,} samples of {lab.n:,} rows with the failure in "
        f"which the metric lies outside the central {100 * lab.level:g} % of its values on "
        f"samples without it (Monte Carlo standard error up to {100 * error:.1f} points). A power "
        f"with no grade beside it is below {200 * (1 - lab.level):g} % before rounding, twice what "
        "chance gives."
    )
