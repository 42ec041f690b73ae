"""Which metrics react to a failure: held to rows that are drawn and spoilt one by one."""

import json
import math
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.infer.sampler import DRAWS as DRAWS_ASKED
from tallymark.metric import get
from tallymark.parts.lab.failures import FAILURES, Population
from tallymark.parts.lab.lab import DRAWS_OF_LIMITS, ERRORS, GROUPS, MEASURES
from tallymark.parts.lab.results import SURE

RNG = np.random.default_rng(4)
Y = (RNG.random(240) < 0.35).astype(int)
P = np.round(np.clip(RNG.normal(0.35 + 0.25 * Y, 0.2), 0.02, 0.98), 2)
EV = tm.evaluate(Y, y_score=P)
LABELS = tm.evaluate(Y, (P >= 0.5).astype(int))


@cache
def all_of():
    return EV.lab(draws=2000)


# -- the slow twin: rows drawn and spoilt one by one -----------------------------------------------


def rows(rng, name=None):
    """Return labels, scores and the threshold of a sample with a failure, made row by row."""
    y, p = Y, P
    if name == "skew":  # ten times the negatives, of which as many rows are drawn
        y, p = np.append(Y, np.tile(Y[Y == 0], 9)), np.append(P, np.tile(P[Y == 0], 9))
    some = rng.integers(0, len(y), len(Y))
    y, p, threshold = y[some].copy(), p[some].copy(), 0.5
    hit = rng.random(len(y)) < 0.1
    if name == "label_noise":
        y[hit] = 1 - y[hit]
    elif name in ("drift", "lookalikes"):
        hit &= y == (name == "drift")
        p[hit] = rng.choice(P[(name == "lookalikes") == Y], hit.sum())
    elif name == "random_scores":
        p[hit] = rng.choice(P, hit.sum())
    elif name == "threshold_shift":
        while (threshold <= P).sum() >= 0.9 * (P >= 0.5).sum():
            found, threshold = threshold, min(P[threshold < P])
        threshold = found
    elif name == "squashed_scores":
        p = 0.5 + 0.5 * (p - 0.5)
    elif name == "overconfident":
        p = 1 / (1 + np.exp(-2 * np.log(p / (1 - p))))
    return y, p, threshold


TWINS = ("accuracy", "sensitivity", "mcc", "roc_auc", "average_precision", "brier", "log_loss")
DRAWS = 500


def measured(rng, name, draws):
    out = []
    for _ in range(draws):
        y, p, threshold = rows(rng, name)
        said = (p >= threshold).astype(int)
        out.append([
            getattr(tm.metrics, m)(y, said if m in TWINS[:3] else p) for m in TWINS
        ])  # fmt: skip
    return np.array(out).T


@cache
def twin(name):
    return measured(np.random.default_rng([9, len(name or "")]), name, DRAWS)


@cache
def limits():
    held = measured(np.random.default_rng(8), None, 4 * DRAWS)
    return np.quantile(held, [0.025, 0.975], axis=1)


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.slow
def test_means_and_powers_are_those_of_rows_spoilt_one_by_one(name):
    found, drawn, clean = all_of()[name], twin(name), twin(None)
    low, high = limits()
    for i, metric in enumerate(TWINS):
        r = found[get(metric).name]
        error = 4.5 * drawn[i].std() * math.sqrt(1 / DRAWS + 1 / 2000)
        assert r.expected == pytest.approx(drawn[i].mean(), abs=error), metric
        assert r.change == pytest.approx(drawn[i].mean() - clean[i].mean(), abs=2 * error), metric
        power = np.mean((drawn[i] < low[i]) | (drawn[i] > high[i]))
        # The twin's limits and powers rest on a quarter of the draws: twice the error.
        assert r.power == pytest.approx(power, abs=4.5 * max(2.3 * r.error, 0.01)), metric


@pytest.mark.slow
def test_values_are_those_of_the_evaluation():
    for r in all_of()["skew"].values():
        assert r.value == pytest.approx(EV[r.metric].value, abs=1e-12)
    assert list(all_of()["drift"]) == [get(m).name for m in MEASURES]


# -- what is known of metrics and failures ---------------------------------------------------------


@pytest.mark.slow
def test_without_a_failure_five_per_cent_of_samples_are_outside():
    rates = np.array([*EV.lab("skew", draws=4000).rate_without_failure.values()])
    # Both the limits, of 16,000 draws, and the rate have errors; ties make a rate smaller.
    error = math.sqrt(0.05 * 0.95 * (1 / 4000 + 1 / 16000))
    assert (rates < 0.05 + 4 * error).all()
    assert np.median(rates) == pytest.approx(0.05, abs=3 * error)
    assert (EV.lab("skew").rate_without_failure["roc_auc"]) > 0.03


def test_few_distinct_values_lie_outside_more_rarely():
    few = tm.evaluate(Y[:12], y_score=P[:12]).lab("drift", metrics=["accuracy"], draws=4000)
    assert 0 < few.rate_without_failure["accuracy"] < 0.04


def test_the_level_moves_the_limits_and_the_power_that_an_effect_needs():
    found = {level: tm.evaluate(Y, y_score=P, level=level).lab("drift", metrics=["roc_auc"])
             for level in (0.95, 0.8)}  # fmt: skip
    for level, f in found.items():
        assert f.rate_without_failure["roc_auc"] == pytest.approx(1 - level, abs=0.04)
    wide, narrow = (f["drift"]["roc_auc"] for f in found.values())
    assert wide.limits[0] < narrow.limits[0] < narrow.limits[1] < wide.limits[1]
    assert (wide.effect, narrow.effect) == ("worse", "none")
    assert 0.1 <= wide.power < narrow.power < 0.4


def test_the_change_leaves_out_the_bias_of_samples():
    found = EV.lab("squashed_scores", n=60, metrics=["ece", "ks"], draws=4000)["squashed_scores"]
    for name in ("expected_calibration_error", "kolmogorov_smirnov"):
        r = found[name]
        assert r.expected - r.change > r.value + 0.02  # without a failure, but of samples
    assert found["kolmogorov_smirnov"].change == 0


def test_the_order_of_scores_is_what_rank_metrics_read():
    found = all_of()
    for failure in ("squashed_scores", "overconfident"):
        for name in ("roc_auc", "average_precision", "h_measure", "kolmogorov_smirnov",
                     "top_decile_lift", "matthews_corrcoef"):  # fmt: skip
            r = found[failure][name]
            assert (r.change, r.effect) == (0.0, "none")
            assert r.power == found.rate_without_failure[name]
    for name in ("brier", "log_loss", "expected_calibration_error"):
        assert found["squashed_scores"][name].effect == "worse"


@pytest.mark.slow
def test_rates_within_a_class_stay_where_negatives_are_more_frequent():
    found = EV.lab("skew", draws=4000)["skew"]
    for name in ("sensitivity", "specificity", "balanced_accuracy", "roc_auc"):
        r = found[name]
        assert r.effect in ("none", "noisier")
        assert abs(r.change) < 0.01
    assert found["sensitivity"].effect == "noisier"  # of fewer positives
    assert found["specificity"].power < 0.05
    assert (found["precision"].effect, found["accuracy"].effect) == ("worse", "better")


def test_a_failure_of_decisions_alone_leaves_scores_alone():
    found = EV.lab({"threshold_shift": 0.5})["threshold_shift"]
    assert found["specificity"].effect == "better"
    assert found["sensitivity"].effect == "worse"
    assert found["sensitivity"].noticed
    assert {found[n].change for n in ("roc_auc", "brier", "h_measure")} == {0.0}


@pytest.mark.slow
def test_the_threshold_stays_where_probabilities_move():
    r = EV.at(threshold=0.3).lab("squashed_scores", draws=4000)["squashed_scores"]["sensitivity"]
    called = (0.5 + 0.5 * (P[Y == 1] - 0.5) >= 0.3).mean()
    assert called > r.value + 0.02
    assert r.expected == pytest.approx(called, abs=0.003)


@pytest.mark.slow
def test_more_rows_and_stronger_failures_have_more_power():
    powers = [EV.lab({"drift": s}, n=n)["drift"]["roc_auc"].power
              for s, n in ((0.05, 240), (0.2, 240), (0.2, 1000), (1, 240))]  # fmt: skip
    assert powers == sorted(powers)
    assert powers[0] < 0.2
    assert powers[-1] == 1


@pytest.mark.slow
def test_the_error_is_what_seeds_make_of_it():
    found = [tm.evaluate(Y, y_score=P, seed=s).lab("drift", metrics=["roc_auc", "accuracy"],
                                                   draws=200)["drift"] for s in range(60)]  # fmt: skip
    for name in ("roc_auc", "accuracy"):
        spread = np.std([f[name].power for f in found])
        told = np.mean([f[name].error for f in found])
        assert 0.7 * spread < told < 1.6 * spread


@pytest.mark.slow
def test_draws_depend_on_the_rows_and_the_seed_not_on_their_order_or_the_questions():
    order = np.random.default_rng(1).permutation(len(Y))
    again = tm.evaluate(Y[order], y_score=P[order]).lab(draws=2000)
    assert again == all_of()
    alone = EV.lab("drift", metrics=["mcc"], draws=2000)
    assert alone["drift"]["matthews_corrcoef"] == all_of()["drift"]["matthews_corrcoef"]
    assert tm.evaluate(Y, y_score=P, seed=1).lab(draws=2000) != all_of()


def test_a_sample_has_the_asked_number_of_rows():
    # One row is right or wrong: the share of right ones is the accuracy itself.
    found = EV.lab("squashed_scores", metrics=["accuracy"], n=1, draws=4000)["squashed_scores"]
    r = found["accuracy"]
    assert r.expected == pytest.approx(r.value, abs=4 * math.sqrt(r.value * (1 - r.value) / 4000))
    assert r.limits == (0.0, 1.0)


# -- many scores, other class orders, weights ------------------------------------------------------


def test_neighbouring_scores_are_drawn_as_one_and_decisions_stay():
    p = Population(np.linspace(0, 1, 11), np.arange(11.0), np.ones(11), 0.5)
    few = p.grouped(np.array([0, 3, 5, 8]))
    assert few.pos.tolist() == [3, 7, 18, 27]
    assert few.neg.tolist() == [3, 2, 3, 3]
    assert few.cut == 2
    np.testing.assert_allclose(few.scores[0], (0.1 * 2 + 0.2 * 3) / 6)
    assert p.grouped(np.arange(11)) is p


@pytest.mark.slow
def test_many_scores_have_the_means_of_rows():
    rng = np.random.default_rng(2)
    x = rng.normal(-1, 1.2, 20_000)
    y, p = (rng.random(20_000) < 1 / (1 + np.exp(-x))).astype(int), 1 / (1 + np.exp(-x))
    assert len(np.unique(p)) > 10 * GROUPS
    ev = tm.evaluate(y, y_score=p)
    found = ev.lab(["squashed_scores", "threshold_shift"], draws=300)
    squashed = tm.evaluate(y, y_score=0.5 + 0.5 * (p - 0.5))
    for name in ("brier", "log_loss", "roc_auc", "sensitivity", "average_precision"):
        r = found["squashed_scores"][name]
        half = (r.limits[1] - r.limits[0]) / 2
        assert r.expected == pytest.approx(squashed[name].value, abs=0.15 * half)
    assert found["threshold_shift"] == ev.lab("threshold_shift", draws=300)["threshold_shift"]
    assert found["threshold_shift"]["roc_auc"].change == 0
    assert found["squashed_scores"] == ev.lab("squashed_scores", draws=300)["squashed_scores"]
    shifted = found["threshold_shift"]["sensitivity"]
    called = np.sort(p[p >= 0.5])
    threshold = called[len(called) - math.ceil(0.9 * len(called))]
    lost = (y & (p >= 0.5) & (p < threshold)).sum() / y.sum()
    assert shifted.change == pytest.approx(-lost, abs=4e-3)
    assert lost > 0.02
    assert shifted.effect == "worse"


@pytest.mark.slow
def test_the_positive_class_may_be_the_first():
    named = np.where(Y == 1, "bad", "good")
    again = tm.evaluate(named, y_score=P, positive="bad").lab(draws=2000)
    for mine, theirs in zip(all_of().reactions, again.reactions, strict=True):
        assert mine == theirs


def test_weighted_rows_are_drawn_by_their_weights():
    twice = np.where(Y == 1, 3.0, 1.0)
    ev = tm.evaluate(Y, y_score=P, weight=twice)
    found = ev.lab("drift", metrics=["accuracy"])
    assert found["drift"]["accuracy"].value == pytest.approx(ev["accuracy"].value)
    assert "by their weights" in found.notes[0]
    assert "by their weights" in str(found)
    assert found.n == 240


@pytest.mark.slow
def test_of_rows_in_clusters_the_power_is_called_too_high():
    ev = tm.evaluate(Y, y_score=P, cluster=np.arange(240) // 4)
    assert "draw" in ev.lab("drift").notes[0]
    assert "power of samples of whole clusters is lower" in str(ev.lab("drift")).replace("\n ", "")


# -- what does not apply ---------------------------------------------------------------------------


def test_of_decisions_alone_failures_and_metrics_of_scores_are_left_out():
    found = LABELS.lab()
    assert list(found.failures) == ["skew", "label_noise", "drift", "lookalikes", "random_scores"]
    assert found.left_out["threshold_shift"] == "needs scores, and there are decisions alone"
    assert found.left_out["overconfident"] == "needs probabilities, and there are decisions alone"
    assert found.left_out["roc_auc"] == "needs scores"
    assert found.left_out["brier"] == "needs probabilities"
    shown = " ".join(str(found).split())
    assert "Left out: squashed_scores, overconfident: needs probabilities" in shown
    for name in ("accuracy", "sensitivity", "matthews_corrcoef"):
        mine, theirs = found["drift"][name], all_of()["drift"][name]
        assert mine.power == pytest.approx(
            theirs.power, abs=4.5 * math.hypot(mine.error, theirs.error)
        )


def test_scores_that_are_no_probabilities_keep_their_order_whatever_their_unit():
    found = tm.evaluate(Y, y_score=10 * P - 4).lab()
    assert found.left_out["squashed_scores"] == "needs probabilities, and the scores are none"
    assert "threshold_shift" in found.failures


def test_numbers_that_are_none_here_are_left_out():
    y, p = [1, 0] * 30, [0.0, 0.2, 0.9, 0.1, 0.8, 0.6] * 10
    found = tm.evaluate(y, y_score=p).lab("skew")
    assert found.left_out["log_loss"] == "is infinite on these rows"
    assert "∞" not in str(found)


def test_what_becomes_infinite_is_worse():
    y, p = [1, 0] * 30, [0.7, 0.0, 0.9, 0.1, 0.8, 0.6] * 10
    r = tm.evaluate(y, y_score=p).lab("label_noise")["label_noise"]["log_loss"]
    assert (r.expected, r.effect) == (math.inf, "worse")
    json.dumps(r.to_dict(), allow_nan=False)


def test_what_most_samples_leave_undefined_is_called_so():
    y, said = [1, 0] * 100, [1] + [0] * 199
    found = tm.evaluate(y, said).lab("drift", metrics=["precision", "recall"], n=20)
    assert found["drift"]["precision"].effect == "undefined"
    assert "precision is mostly undefined" in found.sentence("drift").replace("\n", " ")
    r = found["drift"]["precision"]
    assert r.undefined > 0.5
    assert r.power <= 1 - r.undefined  # an undefined value is not outside
    assert "undefined 0 %" not in str(found)


def test_a_metric_without_a_better_direction_is_higher_or_lower():
    found = EV.lab("skew", metrics=["prevalence"])
    assert found["skew"]["prevalence"].effect == "lower"
    assert "noticed by prevalence" in found.sentence("skew")


def test_a_metric_of_ones_own_is_judged_too():
    own = tm.Statistic(lambda c: (5 * c.tp - c.fp) / c.total, name="payoff", range=(-1, 5))
    r = EV.lab("drift", metrics=[own])["drift"]["payoff"]
    assert r.value == EV.value(own).value
    assert r.change < 0


REFUSED = {
    "there is no failure 'drfit'; there are 'skew', 'label_noise', 'drift', 'lookalikes', "
    "'random_scores', 'threshold_shift', 'squashed_scores', 'overconfident'":
        lambda: EV.lab("drfit"),
    "drift is 1.5; give a share above 0, such as 0.1": lambda: EV.lab({"drift": 1.5}),
    "skew is 0; give how many times as many, such as 10": lambda: EV.lab({"skew": 0}),
    "overconfident is 0.5; give a factor above 1, such as 2": lambda: EV.lab({"overconfident": 0.5}),
    "squashed_scores is 1; give a factor between 0 and 1, such as 0.5":
        lambda: EV.lab({"squashed_scores": 1}),
    "failures names none; give some of 'skew', 'label_noise'": lambda: EV.lab([]),
    "failures is 7; give names of failures such as": lambda: EV.lab(7),
    "draws is 50; give a whole number, from 100 to 100,000": lambda: EV.lab(draws=50),
    "n is 0; give a whole number, at least 1": lambda: EV.lab(n=0),
    "metrics names none; name some, or leave metrics=... out": lambda: EV.lab(metrics=[]),
    "there is no metric 'acuracy'": lambda: EV.lab(metrics=["acuracy"]),
    "no metric applies to model: roc_auc needs scores": lambda: LABELS.lab(metrics=["roc_auc"]),
    "no metric applies to model: top_k_accuracy is not defined for two classes":
        lambda: EV.lab(metrics=["top_k_accuracy"]),
    "no metric applies to model: spherical_score reads whole rows of scores":
        lambda: EV.lab(metrics=["spherical_score"]),
    "no failure applies to model: overconfident needs probabilities, and there are decisions":
        lambda: LABELS.lab("overconfident"),
    "the rows at the lowest score called positive are more than 10 % of those called positive":
        lambda: tm.evaluate([0, 1] * 20, y_score=[0.1, 0.9] * 20).lab("threshold_shift"),
    "threshold_shift finds no row that is called positive":
        lambda: EV.at(threshold=2).lab("threshold_shift", metrics=["roc_auc"]),
    "the lab needs two classes, one of them positive, and there are 3":
        lambda: tm.evaluate(list("abc"), list("abb")).lab(),
    "no row is truly 1; the lab needs rows of both classes":
        lambda: tm.evaluate([0, 0], [0, 1], classes=[0, 1]).lab(),
    "the decisions of model were given beside its scores":
        lambda: tm.evaluate(Y, P > 0.4, y_score=P).lab(),
    "this evaluation holds 2 models": lambda: tm.evaluate(Y, y_score={"a": P, "b": P}).lab(),
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_answered_is_refused(words):
    with pytest.raises(tm.InputError) as refused:
        REFUSED[words]()
    assert words in str(refused.value)


def test_a_failure_that_was_not_simulated_has_no_reactions():
    with pytest.raises(tm.InputError, match="no failure 'skew'; there are 'drift'"):
        EV.lab("drift", metrics=["f1"])["skew"]


# -- how it shows itself ---------------------------------------------------------------------------


def schema():
    return json.loads(
        (files("tallymark.parts.lab") / "lab.schema.json").read_text(encoding="utf-8")
    )


@pytest.mark.parametrize("ev", [EV, LABELS], ids=["scores", "labels"])
def test_the_json_follows_its_schema(ev):
    jsonschema.Draft202012Validator.check_schema(schema())
    found = ev.lab(draws=100)
    told = json.loads(found.to_json())
    jsonschema.validate(told, schema())
    assert told["sentences"]["skew"] == found.sentence("skew")
    assert len(found.table()) == len(told["reactions"]) == len(found.reactions)
    assert found.table()[0]["strength"] == 10


def test_a_sentence_says_who_notices_who_looks_better_and_who_does_not_react():
    names = ["accuracy", "precision", "sensitivity", "specificity"]
    assert EV.lab("skew", metrics=names).sentence("skew") == (
        "skew (negatives 10 times as frequent): noticed by precision; accuracy (14 %) looks better; "
        "sensitivity (50 %) varies more without moving on average; not noticed by specificity."
    )


@pytest.mark.slow
def test_a_sentence_names_the_strongest_of_many_and_says_where_nothing_reacts():
    drift = EV.lab({"drift": 0.3}).sentence("drift")
    assert "): noticed at times by KS distance (76 %), ROC area (72 %), H-measure" in drift
    assert " and 13 more; ECE (17 %) looks better; " in drift
    assert "noticed at times by KS distance (16 %), ROC area (16 %)" in all_of().sentence("drift")
    ranked = ["roc_auc", "average_precision", "h_measure"]
    calm = EV.lab("squashed_scores", metrics=ranked).sentence("squashed_scores")
    assert calm.endswith(": not noticed by ROC area, avg precision and H-measure.")
    many = [*ranked, "ks", "mcc", "f1", "recall"]
    calm = EV.lab("squashed_scores", metrics=many).sentence("squashed_scores")
    assert calm.endswith(": not noticed by any metric.")
    assert all_of().sentence("overconfident").endswith("; not noticed by any other metric.")


def test_the_table_has_the_power_of_every_metric():
    shown = str(EV.lab(["skew", "drift"], metrics=["accuracy", "mcc"]))
    lines = shown.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("power "))
    assert lines[head].split() == ["power", "value", "no", "failure", "skew", "drift"]
    assert lines[head + 1].startswith("accuracy")
    assert "better 14 %" in lines[head + 1]
    assert "(Monte Carlo standard error up to" in " ".join(shown.split())


def test_the_page_lists_every_failure_with_its_default():
    page = Path(__file__).parents[3] / "docs" / "lab.md"
    listed = re.findall(r"^\| `(\w+)` \| .*? \| ([\d.]+)( %)? \|", page.read_text("utf-8"), re.M)
    told = {name: float(n) / (100 if share else 1) for name, n, share in listed}
    assert told == {name: f.default for name, f in FAILURES.items()}


LIU = ("accuracy", "cohen_kappa", "f1", "mean_absolute_error", "root_mean_squared_error",
       "roc_auc", "average_precision")  # fmt: skip
"""The seven metrics of Liu et al. (2014)."""

WORDS = {4: "four", 7: "seven", 8: "eight"}


def test_the_numbers_of_the_page_are_those_of_the_code():
    page = " ".join((Path(__file__).parents[3] / "docs" / "lab.md").read_text("utf-8").split())
    assert [get(m).name for m in MEASURES[:7]] == [*LIU]
    assert list(all_of().failures) == list(FAILURES)
    for told in (
        f"whose {WORDS[len(LIU)]} measures come first below",
        f"all {WORDS[len(FAILURES)]} are simulated",
        f"percentiles of {DRAWS_OF_LIMITS * DRAWS_ASKED:,} samples",
        f"the share of {DRAWS_ASKED:,} samples with the failure",
        f"moves by less than {WORDS[int(ERRORS)]} Monte Carlo errors",
        f"with a power of {100 * SURE:g} % or more",
        f"Of {len(MEASURES)} metrics one or more",
        f"Of more than {GROUPS} distinct scores",
    ):
        assert told in page, told


# -- the command line ------------------------------------------------------------------------------

FILE = str(tm.example("credit"))
COLUMNS = ["--truth", "outcome", "--positive", "bad"]


def run(*args):
    return CliRunner().invoke(main, ["lab", FILE, *COLUMNS, *args])


@pytest.mark.slow
def test_the_command_prints_what_python_does():
    done = run("--score", "forest", "--failure", "drift=20%", "--failure", "skew", "--draws", "200")
    ev = tm.evaluate(FILE, truth="outcome", positive="bad", score="forest")
    found = ev.lab({"drift": 0.2, "skew": None}, draws=200)
    assert done.exit_code == 0, done.output
    assert " ".join(done.stdout.split()) == " ".join(str(found).split())


@pytest.mark.slow
def test_the_command_prints_json_and_csv_of_several_models():
    models = ["--score", "forest", "--score", "bayes", "--failure", "skew", "--metric", "f1"]
    told = json.loads(run(*models, "--json", "--draws", "100", "--n", "50").stdout)
    assert [one["model"] for one in told] == ["forest", "bayes"]
    for one in told:
        jsonschema.validate(one, schema())
        assert one["n"] == 50
    lines = run(*models, "--format", "csv").stdout.splitlines()
    assert lines[0].startswith("model,failure,strength,metric,value,expected,change,power,error")
    assert [line.split(",")[0] for line in lines[1:]] == ["forest", "bayes"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--failure", "drfit"], "there are 'skew', 'label_noise', 'drift', 'lookalikes'"),
        (["--failure", "drift=2"], "drift is 2.0; give a share above 0"),
        (["--failure", "drift=much"], "'much' is not a share"),
        (["--draws", "10"], "10 is not in the range 100<=x<=100000"),
    ],
)
def test_the_command_refuses_in_one_sentence(args, words):
    done = run("--score", "forest", *args)
    assert (done.exit_code, words in done.output) == (2, True), done.output


def test_the_command_takes_a_file_of_counts(tmp_path):
    EV.to_json(tmp_path / "run.json")
    words = [str(tmp_path / "run.json"), "--metric", "f1", "--failure", "skew"]
    done = CliRunner().invoke(main, ["lab", *words])
    assert done.exit_code == 0, done.output


def test_the_command_takes_every_option(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{t},{p}" for t, p in zip(Y, P, strict=True)]
    path.write_text("\n".join(["truth,score", *lines]) + "\n", encoding="utf-8")
    said = ["--failure", "drift=20%", "--metric", "accuracy", "--n", "50", "--draws", "100"]
    found = CliRunner().invoke(main, ["lab", str(path), *said, "--level", "0.8", "--seed", "7"])
    ev = tm.evaluate(path, level=0.8, seed=7)
    expected = ev.lab({"drift": 0.2}, metrics=["accuracy"], n=50, draws=100)
    assert " ".join(found.stdout.split()) == " ".join(str(expected).split())
    error = 100 * max(r.error for r in expected.reactions)
    of_draws = 100 * max(math.sqrt(r.power * (1 - r.power) / 100) for r in expected.reactions)
    assert of_draws < error < 3 * of_draws
    assert (
        "Power: the share of 100 samples of 50 rows with the failure in which the metric lies "
        "outside the central 80 % of its values on samples without it (Monte Carlo standard error "
        f"up to {error:.1f} points). A power with no grade beside it is below 40 % before rounding, "
        "twice what chance gives." in " ".join(found.stdout.split())
    )
