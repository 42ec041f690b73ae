"""The colours of models: told apart by everybody, and text that can be read."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from tallymark.report import pieces

MACHADO = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
"""Colour blindness of severity 1 (Machado, Oliveira and Fernandes 2009), on linear RGB."""

LEAST = {
    "light": {"normal": 23, "protan": 22, "deutan": 19, "tritan": 25},
    "dark": {"normal": 20, "protan": 14, "deutan": 20, "tritan": 20},
}
"""The least distances of two of three models, in hundredths of OKLab, rounded."""


def linear(colour):
    """Return the linear RGB of a colour such as #1f5fbf."""
    v = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    """Return the OKLab coordinates of linear RGB (Ottosson 2020)."""
    lms = np.array([
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]) @ np.clip(rgb, 0, 1)  # fmt: skip
    return np.array([
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]) @ np.cbrt(lms)  # fmt: skip


def contrast(a, b):
    """Return the contrast of two colours (WCAG 2)."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def tokens(theme):
    """Return the colours of the page by name, in light or dark."""
    light, dark = pieces.asset("style.css").split("prefers-color-scheme:dark", 1)
    text = light if theme == "light" else dark[: dark.index("}}")]
    found = re.findall(r"--([\w-]+):(#[0-9a-f]{3,6})\b", text)
    return {n: c if len(c) == 7 else "#" + "".join(2 * x for x in c[1:]) for n, c in found}


@pytest.mark.parametrize("sight", MACHADO)
@pytest.mark.parametrize("theme", LEAST)
def test_three_models_are_told_apart_by_colour(theme, sight):
    colours = tokens(theme)
    seen = [oklab(MACHADO[sight] @ linear(colours[f"c{i}"])) for i in range(3)]
    far = [100 * np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)]
    assert round(min(far)) >= LEAST[theme][sight]


@pytest.mark.parametrize("theme", LEAST)
def test_text_and_lines_have_enough_contrast(theme):
    colours = tokens(theme)
    for text in ("ink", "faint", "focus", "good", "bad", "warn-ink"):
        assert contrast(colours[text], colours["bg"]) >= 4.5, text
        assert contrast(colours[text], colours["soft"]) >= 4.5, text
    for i in range(8):
        assert contrast(colours[f"c{i}"], colours["bg"]) >= 3, i


def test_the_measures_are_the_published_ones():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert oklab(linear("#ffffff")) == pytest.approx([1, 0, 0], abs=1e-4)
    assert oklab(linear("#ff0000")) == pytest.approx([0.62796, 0.22486, 0.12585], abs=1e-4)
    for matrix in MACHADO.values():
        assert np.sum(matrix, axis=1) == pytest.approx(1, abs=1e-5), "grey stays grey"
