"""The critical-difference diagram by matplotlib: tallymark.plot.critical_difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark import InputError
from tallymark.core import artists, contract
from tallymark.parts.results.comparison import ModelComparison
from tallymark.parts.results.diagram import rank_diagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@contract.checked(what=contract.ANY, ax=contract.made_by("axes of matplotlib", "Axes"))
def critical_difference(what: ModelComparison, *, ax: Axes | None = None) -> Axes:
    """Draw mean ranks of classifiers over data sets, with bars across those not distinguished.

    ``what`` is what :func:`tallymark.compare_results` returns, of two data sets or more. Ranks
    run from 1, the best, on the left; Nemenyi's critical difference stands above, except where
    all are held against a control or there are but two classifiers.

    >>> import tallymark as tm
    >>> from matplotlib.figure import Figure
    >>> t = {"dataset": list("aabbccdd"), "classifier": ["net", "tree"] * 4,
    ...      "auc": [.9, .8, .7, .6, .8, .85, .9, .7]}
    >>> ax = tm.plot.critical_difference(tm.compare_results(t), ax=Figure().subplots())
    >>> sorted(text.get_text() for text in ax.texts)
    ['1.75 tree', 'net 1.25']
    """
    if not isinstance(what, ModelComparison):
        raise InputError(
            f"critical_difference takes what compare_results returns, not {type(what).__name__}"
        )
    return artists.ranks(ax, rank_diagram(what))
