"""What the page of definitions says in words is computed here; what it shows as examples runs there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tallymark as tm
from tallymark.infer import methods, operating_points, samples
from tallymark.metric import METRICS
from tallymark.reading import ingest

DOCS = Path(__file__).parents[1] / "docs"
NAMES = ("definitions", "thresholds", "classes", "biometrics")
TEXT = "\n".join((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in NAMES)
PAGE = " ".join(TEXT.split())
WORDS = {5: "five", 10: "ten", 20: "twenty", 30: "thirty", 50: "fifty", 100: "a hundred"}


def says(sentence):
    assert sentence in PAGE, f"no page of {', '.join(NAMES)} says: {sentence}"


def rows_of(heading):
    """Return the cells of every row of the table below a heading."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\|(.+)\|$", section, re.M)
    return [[cell.strip() for cell in row.split("|")] for row in rows[2:]]


# -- which way round ---------------------------------------------------------------------------


def test_a_score_at_the_threshold_is_positive():
    scores = np.array([0.49, 0.5, 0.51, 0.0, 1.0])
    ev = tm.evaluate([1, 1, 1, 0, 1], y_score=scores)
    called = [s for s in scores if tm.evaluate([1, 0], y_score=[s, 0.0])["recall"].value == 1]
    says(f"A score of exactly {min(called):g} is positive at {ev.models[0].threshold:g}.")


def test_of_equal_probabilities_the_first_class_is_predicted():
    p = np.array([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [0.4, 0.2, 0.4], [0.1, 0.2, 0.7]])
    ev = tm.evaluate(["b", "c", "c", "a"], y_score=p)
    # The rows are predicted as a, b, a and c.
    assert ev.models[0].labels.counts.tolist() == [[0, 0, 1], [1, 0, 0], [1, 1, 0]]
    says("the most probable class is predicted; of equal probabilities, the first class's.")


@pytest.mark.slow
def test_the_threshold_where_none_is_given():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    others = rng.random(80) * 10 + 2
    of_probabilities, of_margins, chosen = (
        tm.evaluate(y, y_score=s) for s in (rng.random(80), rng.normal(size=80), others)
    )
    probabilities, margins = (ev.models[0].threshold for ev in (of_probabilities, of_margins))
    says(f"is {probabilities:g} of probabilities and {margins:g} of scores on both sides of 0.")
    best = [
        METRICS[name].title
        for name in ("youden_j", "f1", "accuracy", "matthews_corrcoef")
        if chosen[name].value == max(chosen.at(threshold=t)[name].value for t in others)
    ]
    assert best == ["Youden's J"]
    says(f"For other scores the one of highest {best[0]} on the same rows is taken, with a warning")
    warned = ["threshold-chosen" in {n.rule for n in ev.notes}
              for ev in (of_probabilities, of_margins, chosen)]  # fmt: skip
    assert warned == [False, False, True]


def probabilities(y, score):
    return tm.evaluate(y, y_score=score).models[0].probabilities


def test_what_scores_are_taken_for():
    kept = [s for s in (-0.01, 0, 1, 1.01) if probabilities([0, 1, 1, 0], [0.1, s, 0.5, 0.2])]
    says(f"**Scores from {min(kept)} to {max(kept)} are taken as probabilities**")
    p = np.tile([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]], (10, 1))
    taken = []
    for over in np.arange(1, 31) / 1000:
        p[0, 0] = 0.5 + 0.999 * over
        if probabilities(np.arange(30) % 3, p):
            taken.append(over)
    says(f"if the row sums are 1 to within {max(taken):g}.")


def test_the_order_of_the_classes():
    y, called = ["b", "a", "b"], ["a", "a", "b"]
    for given, counts in ((None, [[1, 0], [1, 1]]), (("b", "a"), [[1, 1], [0, 1]])):
        ev = tm.evaluate(y, called, positive="b", classes=given)
        assert list(ev.classes) == list(given or sorted(set(y))) == ev.to_dict()["classes"]
        assert ev.models[0].labels.counts.tolist() == counts
    says("sorted unless `classes=` gives it, in every array and in the JSON.")
    assert tm.evaluate(["10", "9", "8"], ["9", "9", "10"]).classes == ("8", "9", "10")
    says("texts that are all numbers are sorted by number.")


# -- averages and definitions ------------------------------------------------------------------


def test_the_average_that_is_shown():
    two = tm.evaluate([0, 1, 1], [0, 1, 0])
    three = tm.evaluate(["a", "a", "b", "c"], ["a", "b", "b", "c"])
    average = dict(rows_of("More than two classes"))
    shown = three.value("recall").definition["average"]
    assert average[f"`{shown}`"].endswith("what is shown unless you choose")
    binary = two.value("recall").definition["average"]
    assert average[f"`{binary}`"] == "one class, positive, against the rest"
    _, whole = average["`overall`"].split(": ")
    assert len(whole.split(", ")) == 3
    for name in whole.split(", "):
        for ev in (two, three):
            name = {"Matthews correlation": "mcc"}.get(name, name)
            assert ev.value(name).definition["average"] == "overall", name


def test_straight_lines_between_precisions_are_too_high_or_too_low():
    # One negative above four positives: precision is 4r / (4r + 1) at recall r.
    low = [1, 1, 0, 1, 1], [0.0, 0.0, 0.4, 0.0, 0.0]
    high = [1, 0, 1, 0, 0], [0.9, 0.5, 0.5, 0.3, 0.2]
    right = [tm.metrics.pr_auc_davis_goadrich(*rows) for rows in (low, high)]
    assert right[0] == pytest.approx(1 - np.log(5) / 4)
    straight = [tm.metrics.pr_auc_trapezoid(*rows) for rows in (low, high)]
    words = ["too high" if s > r else "too low" for s, r in zip(straight, right, strict=True)]
    says(f"(it can be {words[1]} or {words[0]})")


def test_the_brier_score_of_two_and_of_more_classes():
    y, s = np.array([1, 0, 1]), np.array([0.9, 0.4, 0.3])
    assert tm.metrics.brier(y, s) == pytest.approx(((s - y) ** 2).mean())
    three, p = np.array([0, 1, 2, 2]), np.array([[5, 3, 2], [2, 5, 3], [1, 2, 7], [3, 3, 4]]) / 10
    assert tm.metrics.brier(three, p) == pytest.approx(((p - np.eye(3)[three]) ** 2).sum(1).mean())
    says("two classes is the mean of (p - y)²; of more, the sum over classes, averaged over rows.")


def test_the_bins_of_the_calibration_error():
    rng = np.random.default_rng(0)
    s = rng.random(90)
    # Errors of neighbouring bins, and within a bin, have different signs: other bins, other sums.
    y = (s * 10).astype(int) % 2 ^ (rng.random(90) < 0.3)
    place = {
        "width": lambda n: np.minimum((s * n).astype(int), n - 1),
        "mass": lambda n: np.argsort(np.argsort(s)) * n // len(s),
    }
    found = []
    for n in WORDS:
        for strategy, bins in place.items():
            of = bins(n)
            gaps = np.array([s[of == k].mean() - y[of == k].mean() for k in np.unique(of)])
            share = np.bincount(of)[np.unique(of)] / len(s)
            norms = {"l1": share @ abs(gaps), "l2": np.sqrt(share @ gaps**2)}
            found += [(n, strategy, norm, v) for norm, v in norms.items()]
    ours = tm.metrics.expected_calibration_error(y, s)
    ((bins, strategy, norm),) = {f[:3] for f in found if f[3] == pytest.approx(ours, rel=1e-9)}
    says(f"`expected_calibration_error` | {WORDS[bins]} bins of equal {strategy}, {norm};")


def definitions():
    """Return the names of each group of the table of one name with several definitions."""
    groups, group = {}, ""
    for asked, called, _ in rows_of("One name, several definitions"):
        group = asked or group
        for name in re.findall(r"`(\w+)`", called):
            before = groups.setdefault(group, [])
            before.append(before[-1].rpartition("_")[0] + name if name[0] == "_" else name)
    return groups


@pytest.mark.parametrize(("asked", "names"), definitions().items())
def test_definitions_with_names_of_their_own_give_different_numbers(asked, names):
    rng = np.random.default_rng(1)
    k = 3 if asked == "area of several classes" else 2
    y = rng.choice(k, 150, p=np.arange(1, k + 1) / sum(range(1, k + 1)))
    p = rng.dirichlet(np.ones(k), 150) + 0.6 * np.eye(k)[y]
    p = np.round(p / p.sum(1, keepdims=True), 1)
    ev = tm.evaluate(y, y_score=p[:, 1] if k == 2 else p / p.sum(1, keepdims=True))
    values = {name: ev.value(name).value for name in names}
    assert len(values) > 1
    assert len({round(v, 9) for v in values.values()}) == len(values), values


def test_the_rates_of_verification_that_are_told():
    (found,) = tm.verify([0.9, 0.8, 0.4], [0.1, 0.2, 0.5]).verification().values()
    exponents = [round(-np.log10(rates.target)) for rates in found.at_fmr]
    assert [10.0**-k for k in exponents] == [rates.target for rates in found.at_fmr]
    *first, last = (f"10⁻{'⁰¹²³⁴⁵⁶'[k]}" for k in exponents)
    says(f"FNMR at FMR = {', '.join(first)} and {last} with the thresholds")


# -- intervals ---------------------------------------------------------------------------------


@cache
def evaluation(k):
    rng = np.random.default_rng(0)
    if k == 2:
        y = rng.integers(0, 2, 80)
        return tm.evaluate(y, y_score=np.clip(y * 0.2 + rng.random(80) * 0.8, 0.01, 0.99))
    return tm.evaluate(rng.integers(0, k, 60), y_score=rng.dirichlet(np.ones(k), 60))


STUDENT, DRAWN = "jackknife, Student's t", "percentile bootstrap, 1,000 draws"
POSTERIOR, WIDENED = "Dirichlet posterior, 1,000 draws", "widened for bias"
INTERVALS = [
    ("a share of rows", "Wilson's score interval", "Wilson", ()),
    ("the ROC area of two classes", "a beta posterior: DeLong's variance",
     "DeLong, beta posterior", ("roc_auc",)),
    ("a part of such an area", "the same, about the jackknife's variance",
     "jackknife, beta posterior", ("partial_roc_auc", "roc_auc_optimistic")),
    ("a function of one proportion", "the image of Wilson's interval of the proportion",
     "Wilson, of its proportion", ()),
    ("another smooth score of the matrix", "the jackknife's standard error", STUDENT, ()),
    ("any other function of the matrix", "percentiles of the bootstrap of its cells",
     DRAWN, ("number_needed_to_diagnose",)),
    ("a number of the scores that every row moves", "the jackknife's standard error", STUDENT, ()),
    ("a number of the scores that single rows decide", "percentiles of the Dirichlet posterior",
     POSTERIOR, ()),
    ("a number of the scores that single rows decide", "`best_depth` those of the bootstrap",
     DRAWN, ("best_depth",)),
    ("a number that chance alone pushes up", "the above, widened for the bias",
     {f"{STUDENT}, {WIDENED}", f"{STUDENT}, {WIDENED} and Dirichlet posterior",
      f"{DRAWN}, {WIDENED}"}, ()),
    ("a mean over rows of a bounded loss", "a beta posterior: to the rows comes one",
     "mean over rows, beta posterior", ("spherical_score", "brier")),
    ("the log loss of more than two classes", "Student's t with the skewness of the rows' losses",
     "mean over rows, Student's t with skewness", ("log_loss",)),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "how", "method", "names"), INTERVALS)
def test_a_number_gets_the_interval_of_its_kind(kind, how, method, names):
    """Of the metrics that the table names in brackets, or of those given here where it names none."""
    ((left, right),) = [r for r in rows_of("Intervals") if r[0].startswith(kind)]
    assert how in right
    (listed,) = re.findall(r"\((.+)\)", left)[:1] or [""]
    others = {"calibration errors": "expected_calibration_error", "Cramér's V": "cramers_v"}
    names = names or [others.get(n, n) for n in listed.split(", ") if n != "…"]
    assert names
    ev = evaluation(3 if "mean over rows" in kind or "more than two classes" in kind else 2)
    assert {ev.value(n).method for n in names} == ({method} if isinstance(method, str) else method)


def test_methods_that_are_named_serve_a_number():
    (named,) = re.findall(r"by name, where it serves the number: (.+?) and others", PAGE)
    asked = re.findall(r'"([a-z-]+)"', named.replace('ev.value("f1", ', ""))
    assert len(asked) > 3
    ev, serves = evaluation(2), {"clopper-pearson": "sensitivity", "delong": "roc_auc"}
    for method in asked:
        v = ev.value(serves.get(method, "f1"), method=method)
        assert v.low < v.value < v.high, method


def test_methods_that_draw_say_how_often():
    (draws,) = re.findall(r"([\d,]+) draws", evaluation(2).value("f1", method="percentile").method)
    says(f"Methods that draw take {draws} replicates, or `draws=` of them.")


def test_no_standard_error_is_zero():
    for right in (9, 10):
        p = right / 10
        error = tm.matrix([[5, 10 - right], [0, right - 5]])["accuracy"].se
        assert error == (pytest.approx(np.sqrt(p * (1 - p) / 10)) if p < 1 else None)
    says(f"It is None where it would be 0, as that of {right} right of 10.")


def least_without_warning(warned, places):
    """Return the lowest of the numbers of rows from which on there is no warning."""
    told = [warned(n) for n in places]
    assert told == sorted(told, reverse=True)
    assert True in told
    return places[told.index(False)]


def test_averages_over_classes_of_few_rows_carry_a_warning():
    def warned(n):
        y = np.repeat([0, 1, 2], [60, 60, n])
        called = np.where(np.arange(len(y)) % 5, y, (y + 1) % 3)
        return tm.evaluate(y, called)["f1"].warning is not None

    n = least_without_warning(warned, range(7, 14))
    says(f"an average over classes of which one has less than {WORDS[n]} rows;")


@pytest.mark.parametrize("name", ["roc_hull_auc", "min_cllr", "kolmogorov_smirnov"])
def test_fits_to_few_rows_carry_a_warning(name):
    def warned(n):
        y = np.repeat([1, 0], (n, 200))
        scores = np.random.default_rng(n).normal(y * 1.5)
        return "fitted" in str(tm.evaluate(y, y_score=scores, threshold=0.5)[name].warning)

    n = least_without_warning(warned, range(27, 34))
    says("(a convex hull, the minimum Cllr, the Kolmogorov-Smirnov distance)")
    says(f"with less than {WORDS[n]} of a class;")


def test_calibration_errors_of_few_rows_carry_a_warning():
    def warned(n):
        p = np.random.default_rng(n).random(n)
        y = (np.random.default_rng(1).random(n) < p).astype(int)
        return tm.evaluate(y, y_score=p)["expected_calibration_error"].warning is not None

    n = least_without_warning(warned, range(97, 104))
    rng = np.random.default_rng(0)
    average = tm.evaluate(rng.integers(0, 3, 600), y_score=rng.dirichlet(np.ones(3), 600))
    assert average["expected_calibration_error"].warning is None
    says(f"a calibration error of less than {WORDS[n]} rows.")


def test_many_scores_are_drawn_in_groups():
    def grouped(n):
        tally = tm.ScoreTally.from_arrays(np.arange(n) % 2, np.arange(n) / n)
        return tally._coarse() is not tally

    most = max(n for n in range(100, 2001, 100) if not grouped(n))
    assert grouped(most + 1)
    says(f"Of more than {most} distinct scores neighbours are drawn together")


@pytest.mark.parametrize(
    "sentence",
    [
        f"more than {ingest.MOST_OF_COLUMNS / 1e6:g} MB of one model's scores",
        f"below {WORDS[samples.FEW_FREEDOMS]} the value carries a `warning`",
        f"the jackknife has less than {WORDS[samples.FEW_FREEDOMS]} degrees of freedom",
        f"{WORDS[operating_points.REPEATS].capitalize()} times the rows are split at random",
    ],
)
def test_a_limit_on_the_page_is_that_of_the_code(sentence):
    says(sentence)


def test_the_bias_that_widens_an_average_is_more_than_a_third_of_its_error():
    assert 1 / 3 < methods.MOST_BIAS < 0.36
    says("that chance pushes up by more than a third of their error (Kolmogorov-Smirnov, H)")


def test_all_rows_choose_better_than_half_of_them():
    # The optimism falls with the power 1/2 of the rows where scores have a few levels, and with 2/3
    # where they are continuous (Kim and Pollard 1990): half of the rows have it the larger.
    low, high = 0.5 ** (2 / 3), 0.5 ** (1 / 2)
    assert low < 2 / 3 < high
    says(f"two thirds of the mean difference (between {low:.2f} for continuous scores and {high:.2f} "
         "for a few levels)")  # fmt: skip
