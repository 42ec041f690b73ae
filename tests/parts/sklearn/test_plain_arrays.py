"""Arrays of every kind, with and without the kernels of few rows, and scikit-learn itself."""

import warnings

import numpy as np
import pytest
import sklearn.metrics as theirs

import tallymark.sklearn as ours
from parts.sklearn.peers import agree
from parts.sklearn.rules import FUNCTIONS
from tallymark.tally import labels

RNG = np.random.default_rng(5)
TRUE, SCORE = RNG.integers(0, 2, 60), RNG.random(60)

LABELS = {
    "plain": TRUE,
    "other": RNG.integers(0, 2, 60),
    "booleans": TRUE.astype(bool),
    "short": TRUE.astype("i1"),
    "unsigned": TRUE.astype("u8"),
    "of another order": TRUE.astype(">i4"),
    "floats": TRUE.astype(float),
    "objects": TRUE.astype(object),
    "a list": TRUE.tolist(),
    "texts": np.array(["no", "yes"])[TRUE],
    "strided": np.repeat(TRUE, 2)[::2],
    "a column": TRUE.reshape(-1, 1),
    "minus one": TRUE * 2 - 1,
    "all one": np.ones(60, dtype=int),
    "all zero": np.zeros(60, dtype=int),
    "three": RNG.integers(0, 3, 60),
    "seven": RNG.integers(0, 7, 60),
    "eight": RNG.integers(0, 8, 60),
    "texts of three": np.array(["a", "b", "cc"])[RNG.integers(0, 3, 60)],
    "far apart": TRUE * 1000,
    "with a fraction": np.append(TRUE[:-1].astype(float), 0.5),
    "with a missing one": np.append(TRUE[:-1].astype(float), np.nan),
    "shorter": TRUE[:-1],
    "empty": TRUE[:0],
    "one row": TRUE[:1],
    "a table": np.stack([TRUE, 1 - TRUE], 1),
    "masked": np.ma.array(TRUE, mask=TRUE == 7),
}
SCORES = {
    "plain": SCORE,
    "tied": SCORE.round(1),
    "all tied": np.full(60, 0.25),
    "of 32 bits": SCORE.astype("f4"),
    "of 16 bits": SCORE.astype("f2"),
    "integers": TRUE,
    "booleans": TRUE.astype(bool),
    "long integers": 2**60 + np.arange(60),
    "beyond 1": SCORE * 3,
    "negative": SCORE - 0.5,
    "certain": (SCORE > 0.5) * 1.0,
    "with a missing one": np.append(SCORE[:-1], np.nan),
    "with an infinite one": np.append(SCORE[:-1], np.inf),
    "a list": SCORE.tolist(),
    "texts": np.array(["a", "b"])[TRUE],
    "shorter": SCORE[:-1],
    "two columns": np.stack([1 - SCORE, SCORE], 1),
    "three columns": RNG.dirichlet(np.ones(3), 60),
}
OF_LABELS = {
    "accuracy_score": [{}, {"normalize": False}],
    "balanced_accuracy_score": [{}, {"adjusted": True}],
    "class_likelihood_ratios": [{}, {"labels": [1, 0]}],
    "classification_report": [
        {},
        {"output_dict": True},
        {"labels": [1, 0]},
        {"zero_division": 1},
        {"zero_division": np.nan},
        {"labels": [1, 2, 1, 7]},
    ],
    "cohen_kappa_score": [{}, {"weights": "linear"}],
    "confusion_matrix": [{}, {"normalize": "true"}, {"labels": [1, 0]}],
    "f1_score": [
        {},
        {"average": "macro"},
        {"average": None},
        {"pos_label": 0},
        {"average": "weighted", "labels": [2, 1]},
    ],
    "fbeta_score": [{"beta": 2}, {"beta": 0}, {"beta": np.inf}],
    "hamming_loss": [{}],
    "jaccard_score": [
        {},
        {"average": "weighted"},
        {"zero_division": 1},
        {"average": "macro", "labels": []},
    ],
    "matthews_corrcoef": [{}],
    "multilabel_confusion_matrix": [{}, {"labels": [1, 5, 0]}, {"samplewise": True}],
    "precision_recall_fscore_support": [{}, {"average": "binary"}, {"average": "micro", "beta": 0}],
    "precision_score": [
        {},
        {"zero_division": np.nan},
        {"zero_division": np.nan, "average": "weighted"},
        {"pos_label": True},
        {"average": "micro"},
    ],
    "recall_score": [{}, {"zero_division": 1}, {"average": "weighted"}, {"pos_label": "yes"}],
    "zero_one_loss": [{}, {"normalize": False}],
}
OF_SCORES = {
    "average_precision_score": [{}, {"pos_label": 0}],
    "brier_score_loss": [{}, {"pos_label": 0}, {"scale_by_half": False}],
    "calibration_curve": [{}, {"n_bins": 3, "strategy": "quantile"}],
    "confusion_matrix_at_thresholds": [{}],
    "d2_log_loss_score": [{}, {"labels": [0, 1]}],
    "det_curve": [{}, {"drop_intermediate": True}],
    "log_loss": [{}, {"normalize": False}, {"labels": [0, 1]}],
    "precision_recall_curve": [{}, {"pos_label": 1}, {"drop_intermediate": True}],
    "roc_auc_score": [{}, {"max_fpr": 0.5}],
    "roc_curve": [{}, {"pos_label": 1}, {"drop_intermediate": False}],
    "top_k_accuracy_score": [{}, {"k": 1}],
}


def outcome(function, arrays, options):
    """Return what a call gives, or how it refuses, and what it warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = function(*arrays, **options)
        except Exception as error:
            found = f"{type(error)} {error}"
    return found, [(w.category, str(w.message), w.filename) for w in told]


def ordinarily(function, arrays, options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labels, "count_few", lambda *_: None)
        return outcome(function, arrays, options)


def check_alike(found, wanted, rtol):
    assert type(found) is type(wanted)
    if isinstance(found, dict):
        assert found.keys() == wanted.keys()
        found, wanted = tuple(found.values()), tuple(wanted.values())
    if isinstance(found, tuple | list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            check_alike(one, other, rtol)
    elif isinstance(found, np.ndarray):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol)
    elif isinstance(found, float):
        assert found == pytest.approx(wanted, rel=rtol, abs=rtol, nan_ok=True)
    else:
        assert found == wanted


PAIRED = ("f1_score", "roc_auc_score")
"""The functions whose arrays are of any two kinds: all read them by one function."""


def pairs_of(name, options, first, second):
    """Return the arrays of a call: each kind beside itself and beside plain ones, or any two."""
    if name in PAIRED and not options:
        return [(a, b) for a in first.values() for b in second.values()]
    plain = (first["plain"], second["plain"])
    return [
        (a, b)
        for kind, a in first.items() for other, b in second.items()
        if a is plain[0] or b is plain[1] or kind == other
    ]  # fmt: skip


def same_both_ways(name, options, pairs, rtol):
    function = getattr(ours, name)
    plain = LABELS["plain"]
    for arrays in pairs:
        found, told = outcome(function, arrays, options)
        wanted, also_told = ordinarily(function, arrays, options)
        check_alike(found, wanted, rtol)
        assert told == also_told
        if arrays[0] is plain and arrays[1] is not SCORES["of 16 bits"]:
            agree(name, *arrays, **options)


@pytest.mark.parametrize(("name", "options"), [(n, o) for n in OF_LABELS for o in OF_LABELS[n]])
@pytest.mark.slow
def test_predicted_labels(name, options):
    same_both_ways(name, options, pairs_of(name, options, LABELS, LABELS), rtol=0)


@pytest.mark.parametrize(("name", "options"), [(n, o) for n in OF_SCORES for o in OF_SCORES[n]])
@pytest.mark.slow
def test_scores(name, options):
    same_both_ways(name, options, pairs_of(name, options, LABELS, SCORES), rtol=1e-12)


def test_every_function_is_here():
    assert {*OF_LABELS, *OF_SCORES, "auc", "metric_at_thresholds"} == set(FUNCTIONS)


def test_a_label_that_is_true_is_the_column_of_that_number():
    y, p = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1, 0], [1, 1], [0, 1]])
    for asked in ([True], [False, True], [1]):
        expected = theirs.f1_score(y, p, labels=asked, average=None)
        assert ours.f1_score(y, p, labels=asked, average=None) == pytest.approx(expected)
