"""Invented logs of 23 tools: every count and mean of every file, against answers made elsewhere."""

import json
from pathlib import Path

import pytest

import tallymark as tm

LOGS = Path(__file__).parents[4] / "shared" / "golden" / "logs"
REAL = LOGS.parents[1] / "real-files"
pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="needs ../shared/golden/logs")

ANSWERS = json.loads((LOGS / "answers.json").read_text("utf-8")) if LOGS.is_dir() else {"files": {}}
NAMES = {"case success": "success", "resolved / total": "resolved", "namedScores.Tone": "Tone"}


def wanted():
    """Yield the file, the model, the scorer, the task, how errors count, and the answer."""
    for file, answer in ANSWERS["files"].items():
        by_model = answer.get("by_model", {None: answer.get("scores", {})})
        for model, scores in by_model.items():
            for key, want in scores.items():
                if not isinstance(want, dict) or "n_rows" not in want:
                    continue
                name, _, how = key.partition(" (errors ")
                errors = {"= wrong, promptfoo rule)": "wrong", "left out)": "left-out"}.get(how)
                scorer, task = NAMES.get(name, name.replace("|", ",")), None
                if name.startswith("results"):  # RewardBench: by subset, and all
                    scorer, _, task = name.partition("|")
                yield file, model, scorer, task, errors, want


WANTED = list(wanted())


def test_the_answers_are_all_there():
    assert not LOGS.is_dir() or len(WANTED) == 62


@pytest.mark.parametrize(
    ("file", "model", "scorer", "task", "errors", "want"),
    WANTED,
    ids=["-".join(map(str, (f.rpartition("/")[2], m, s, t, e))) for f, m, s, t, e, _ in WANTED],
)
def test_counts_and_means_are_those_of_the_answers(file, model, scorer, task, errors, want):
    log = tm.read_log(LOGS / file, errors=errors, scorer=scorer)
    found = [s for s in log.scores if model in (None, s.model) and task in (None, "", s.task)]
    rows = sum(s.rows for s in found)
    items = sum(s.items for s in found)
    scored = sum(s.scored for s in found)
    assert (rows, scored, rows - scored) == (want["n_rows"], want["n_scored"], want["n_unscored"])
    assert items == want["n_items"]
    assert sum(s.items_scored for s in found) == want["n_items_scored"]
    assert {s.epochs for s in found} == {want["epochs"]}
    means = sum(s.mean * s.items_scored for s in found) / want["n_items_scored"]
    assert means == pytest.approx(want["mean_items"], abs=1e-9)
    of_rows = sum(s.mean_rows * s.scored for s in found) / want["n_scored"]
    assert of_rows == pytest.approx(want["mean_rows"], abs=1e-9)
    if "n_right" in want:
        assert sum(s.right for s in found) == want["n_right"]


PAIRED = [(f, a) for f, a in ANSWERS["files"].items() if a["kind"] == "pairwise"]


@pytest.mark.parametrize(("file", "answer"), PAIRED, ids=[f for f, _ in PAIRED])
def test_wins_losses_and_ties_are_those_of_the_answers(file, answer):
    by_model = {s.model: s for s in tm.read_log(LOGS / file).scores}
    if "by_model" not in answer:  # AlpacaEval
        (s,) = by_model.values()
        assert (s.scored, s.right, s.ties) == (
            answer["n_total"], answer["n_wins"], answer["n_draws"])  # fmt: skip
        assert 100 * s.mean == pytest.approx(answer["win_rate"], abs=1e-9)
        return
    assert by_model.keys() == answer["by_model"].keys()
    for model, want in answer["by_model"].items():
        s = by_model[model]
        assert (s.scored, s.right, s.ties) == (want["n"], want["wins"], want["ties"])
        assert s.scored - s.right - s.ties == want["losses"]
        assert s.mean == pytest.approx(want["win_rate_ties_half"], abs=1e-9)


def test_finished_numbers_have_an_interval_only_where_the_file_says_how_many_items():
    def numbers(file):
        return {(a.task, a.scorer): a for a in tm.read_log(LOGS / file).aggregates}

    for file, answer in ANSWERS["files"].items():
        if answer["kind"] != "aggregate" or not file.startswith("lm_eval"):
            continue
        found = numbers(file)
        for task, values in answer["values"].items():
            n = values.pop("n")
            assert {k[1]: a.value for k, a in found.items() if k[0] == task} == values
            assert all(
                a.n == n and a.low < a.value < a.high for k, a in found.items() if k[0] == task
            )
    reward = numbers("rewardbench/toy-rm.json")[None, "accuracy"]
    assert (reward.value, reward.n) == (0.7, 30)
    assert (round(reward.low, 4), round(reward.high, 4)) == (0.5212, 0.8334)
    for file in ("bigcode/evaluation_results.json", "mteb/toylab__alpha/abc/ToyIntent.json"):
        for a in numbers(file).values():
            assert a.low != a.low
            assert a.reason == "the file does not say how many items there were"


@pytest.mark.parametrize("pair", ANSWERS.get("pairs", []), ids=lambda p: f"{p['a']}-{p['metric']}")
def test_paired_differences_of_the_table_are_those_of_the_answers(pair):
    scorer, _, how = pair["metric"].partition(" (errors ")
    errors = "left-out" if how else None
    scorer = NAMES.get(scorer, scorer.replace("|", ","))

    def means(of):
        file, _, model = of.partition("#")
        by_item = {}
        for r in tm.read_log(LOGS / file, errors=errors, scorer=scorer).rows:
            if r.value is not None and model in ("", r.model):
                by_item.setdefault(r.item, []).append(r.value)
        return {item: sum(v) / len(v) for item, v in by_item.items()}

    a, b = means(pair["a"]), means(pair["b"])
    shared = a.keys() & b.keys()
    assert len(shared) == pair["n_shared"]
    assert (len(a.keys() - b), len(b.keys() - a)) == (pair["only_a"], pair["only_b"])
    difference = sum(a[i] - b[i] for i in shared) / len(shared)
    assert difference == pytest.approx(pair["diff"], abs=1e-9)


def test_samples_are_not_counted_again_from_the_results_beside_them():
    log = tm.read_log(LOGS / "lm_eval")
    assert len(log.files) == 6
    assert log.aggregates == ()
    assert {s.model for s in log.scores} == {"toylab/alpha-7b", "toylab/beta-7b"}
    assert {s.epochs for s in log.scores} == {1}


def test_real_logs_of_inspect_are_read():
    (one,) = tm.read_log(REAL / "inspect_mmlu.eval").scores
    assert (one.items, one.epochs, one.scored) == (1, 1, 1)
    (one,) = tm.read_log(REAL / "inspect_log.json").scores
    assert (one.model, one.task, one.items, one.scored) == ("ollama/llama3.1", "popularity", 1, 1)
