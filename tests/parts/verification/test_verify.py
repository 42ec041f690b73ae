"""What a verification system is judged by, and how that is shown, kept and read back."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import assert_read_back
from tallymark.cli import main
from tallymark.findings.catalogue import codes
from tallymark.report import page, words
from tallymark.report.codes import said_with
from tallymark.report.subjects.summary import brief, title_of

HERE = Path(__file__).parent


def test_genuine_and_impostor_scores():
    rng = np.random.default_rng(0)
    genuine, impostor = rng.normal(2, 1, 300), rng.normal(0, 1, 900)
    ev = tm.verify(genuine, impostor, threshold=1.1)
    assert ev.classes == ("genuine", "impostor") or set(ev.classes) == {"genuine", "impostor"}
    assert ev.positive == "genuine"
    assert ev["FAR"].value == pytest.approx((impostor >= 1.1).mean())
    assert ev["FRR"].value == pytest.approx((genuine < 1.1).mean())
    y = [1] * 300 + [0] * 900
    s = np.concatenate([genuine, impostor])
    for name in ("EER", "equal_error_rate_hull", "fmr1000", "decidability", "min_cllr"):
        assert ev[name].value == pytest.approx(getattr(tm.metrics, name)(y, s)), name
    distances = tm.verify(-genuine, -impostor, higher_is="impostor", threshold=-1.1)
    assert distances["FAR"].value == ev["FAR"].value
    assert distances["EER"].value == ev["EER"].value


def test_several_systems_on_the_same_trials():
    genuine = {"a": [0.9, 0.8, 0.4], "b": [0.7, 0.6, 0.9]}
    impostor = {"b": [0.1, 0.8], "a": [0.2, 0.3]}
    ev = tm.verify(genuine, impostor, threshold=0.5)
    assert ev.names == ("a", "b")
    assert ev.model("b")["FAR"].value == 0.5
    assert ev.source.name == "verification"


@pytest.mark.parametrize(
    ("genuine", "impostor", "options", "told"),
    [
        ([0.1], [0.2], {"higher_is": "client"}, "higher_is is 'client'; there are 'genuine'"),
        ([], [0.2], {}, "genuine holds no score; both kinds of comparison are needed"),
        ([0.1], [], {}, "impostor holds no score"),
        ({"a": [0.1]}, {"b": [0.2]}, {}, r"genuine names the systems \['a'\] and impostor \['b'\]"),
        ({"a": [0.1], "b": [0.1, 0.2]}, {"a": [0.2], "b": [0.1]}, {},
         "genuine has 1 scores of 'a' and 2 of 'b'; systems are compared on the same trials"),
        ([0.1, np.nan], [0.2], {}, "missing"),
        ([np.inf], [0.2], {}, "genuine is inf"),
    ],
)  # fmt: skip
def test_unusable_scores_are_refused(genuine, impostor, options, told):
    with pytest.raises(tm.InputError, match=told):
        tm.verify(genuine, impostor, **options)


def test_the_scores_are_those_of_genuine_comparisons():
    assert tm.verify([0.9, 0.8], [0.1, 0.2]).source.positive == "genuine"


@pytest.mark.slow
def test_every_answer_is_the_same_after_reading_back(tmp_path):
    rng = np.random.default_rng(2)
    genuine, impostor = rng.normal(1, 1, 80), rng.normal(0, 1, 120)
    ev = tm.verify(genuine, impostor, higher_is="impostor", threshold=0.4)
    assert_read_back(ev, tmp_path / "run.json")


def test_scores_that_are_the_wrong_way_round_can_be_forbidden():
    ev = tm.verify([0.1, 0.2, 0.3], [0.8, 0.9])
    (warning,) = [n for n in ev.notes if n.rule == "wrong-way"]
    assert "If they are distances, say higher_is='impostor'" in warning.text
    assert "wrong-way" in codes()
    assert said_with("wrong-way", ev, warning.model or ev.names[0]) == [warning]


def test_error_rates_have_a_table():
    verified = tm.verify([0.9, 0.8, 0.4], [0.1, 0.5], threshold=0.45).verification()
    (found,) = verified.values()
    first, *rates = found.table().to_dicts()
    assert (first["metric"], first["value"]) == ("equal_error_rate", found.eer.value)
    assert [r["metric"] for r in rates[:2]] == ["false_positive_rate", "false_negative_rate"]
    assert [r["value"] for r in rates[:2]] == [1 / 2, 1 / 3]
    assert len(rates) == 2 * len(found.rates)


def test_the_verification_card_has_error_rates_and_no_matrix():
    rng = np.random.default_rng(0)
    ev = tm.verify(rng.normal(1, 1, 300), rng.normal(-1, 1, 900))
    html = ev._repr_html_()
    assert "Equal error rate (EER)" in html
    assert "Detection error trade-off" in html
    assert "predicted" not in html


def test_the_question_is_listed_where_it_has_an_answer():
    ev = tm.verify([0.9, 0.8], [0.1, 0.2])
    assert "ev.verification(): The error rates of each system" in " ".join(str(ev.help()).split())
    assert "verification" in dir(ev)
    assert "verification" not in str(tm.evaluate([0, 1, 1], [0, 1, 0]).help())


def test_columns_of_both_kinds_have_no_truth_and_are_judged_by_the_command_that_is_named():
    file = str(HERE / "files" / "faces.csv")
    refused = CliRunner().invoke(main, ["report", file, "--json", "-"])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.count("\n") == 1
    assert "judge them with tallymark verify" in refused.stderr
    made = CliRunner().invoke(main, ["verify", file, "--json", "-"])
    assert made.exit_code == 0, made.stderr
    data = json.loads(made.stdout)
    assert (data["rows"], data["positive"]) == (100, "genuine")
    (model,) = data["models"]
    assert model["values"]["roc_auc"]["value"] == pytest.approx(0.911875, abs=1e-9)


# -- rows that are judged for biometrics ---------------------------------------------------------


def small(use=None):
    """40 TP, 20 FN, 20 FP and 20 TN, in five steps of scores."""
    y = ["sick", "sick", "sick", "well", "well"] * 20
    return tm.evaluate(y, y_score=[0.9, 0.7, 0.2, 0.8, 0.1] * 20, positive="sick", use=use)


@pytest.fixture(scope="module")
def biometrics():
    ev = small("biometrics")
    return ev, page.render(ev)


@pytest.mark.slow
def test_the_use_chooses_tiles_first_chart_and_words(biometrics):
    ev, text = biometrics
    tiles = ["equal_error_rate", "fmr100", "fmr1000", "roc_auc"]
    assert list(brief(ev)) == tiles
    overview = text[text.index('<section id="overview"') : text.index('<section id="advice"')]
    found = dict(re.findall(r'data-key="models\.0\.values\.(\w+)">([^<]+)<', overview))
    values = small().values()["model"]
    assert found == {n: words.value(values[n]) for n in tiles}
    assert re.search(r"<svg class=chart data-chart=(\w+)", text)[1] == "det"
    header = html.unescape(text[: text.index("</header>")])
    assert "The equal error rate (EER) is 50.00 %." in header
    assert len(text.encode()) < 160_000


def test_all_numbers_stay_on_the_page(biometrics):
    ev, text = biometrics
    plain = small()
    assert ev.values() == plain.values()
    assert plain.verification() == small("medicine").verification() == {}
    for name in ("accuracy", "matthews_corrcoef", "roc_auc", "brier"):
        title = title_of(ev, name)
        assert html.escape(title) in text[text.index('<section id="all"') :]


def test_error_rates_are_called_fmr_and_fnmr(biometrics):
    text = str(biometrics[0])
    assert "False match rate (FMR)" in text
    assert "False non-match rate (FNMR)" in text
    assert "FAR" not in text
    assert "FRR" not in text


def test_biometrics_need_scores_of_two_classes():
    with pytest.raises(tm.InputError, match="^use='biometrics' needs scores of two classes"):
        tm.evaluate([0, 1, 0], [0, 1, 1], use="biometrics")


# -- files that others published -----------------------------------------------------------------

FILES = Path(__file__).parents[4] / "shared" / "real-files"
published = pytest.mark.skipif(
    not FILES.exists(), reason="the published files are not beside this checkout"
)


def run(name, *arguments):
    """Verify a published file; return the exit code, standard output and standard error."""
    command = ["verify", str(FILES / name), *arguments, "--json", "-"]
    result = CliRunner().invoke(main, command, prog_name="tallymark")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result.exit_code, result.stdout, result.stderr


def verified(*arguments):
    code, out, err = run(*arguments)
    assert code == 0, err
    data = json.loads(out)
    return data, data["models"][0]["values"]["roc_auc"]["value"], err


@published
@pytest.mark.slow
def test_comparisons_of_identities():
    data, area, _ = verified("bob_4col.txt")
    assert data["rows"] == 910
    assert area == pytest.approx(0.980404, abs=6e-7)
    assert data["source"]["roles"]["people"] == ["column0", "column1"]
    genuine = tm.verify(FILES / "bob_4col.txt").models[0].labels.counts.sum(1)
    assert 390 in genuine.tolist()


@published
@pytest.mark.slow
def test_scores_that_are_not_numbers_are_missing():
    code, out, err = run("bob_dev1.txt")
    assert (code, out) == (2, "")
    assert "54" in err
    assert "--missing drop" in err
    data, area, _ = verified("bob_dev1.txt", "--missing", "drop")
    assert data["rows"] == 946
    assert area == pytest.approx(0.947417, abs=6e-7)
    counts = tm.verify(FILES / "bob_dev1.txt", missing="drop").models[0].labels.counts.sum(1)
    assert 451 in counts.tolist()


@published
@pytest.mark.slow
def test_a_third_kind_of_trials_is_left_out_or_asked_about():
    code, out, err = run("asv_scores_la_dev.txt")
    assert "spoof" in out + err
    if code == 0:
        data = json.loads(out)
        assert data["rows"] == 1792
        area = data["models"][0]["values"]["roc_auc"]["value"]
        assert area == pytest.approx(0.998014, abs=6e-7)
    else:
        assert (code, out) == (2, "")
        assert "commas" not in err
