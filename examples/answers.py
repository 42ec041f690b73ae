"""Make the example of graded answers: 200 questions, three models, two answers each.

    python examples/answers.py [FOLDER]

The models are invented. Questions about one text share a difficulty, and each question adds its
own, so that the two answers of a model to one question agree more often than chance.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from random import Random

SKILL = {"crow": 1.1, "lark": 0.85, "wren": 0.2}
TASKS = {"law": -0.4, "math": 0.3, "code": 0.9}
TEXTS = 40
EACH = 5
"""Questions about one text."""


def answers(folder: Path) -> Path:
    """Write one row for each answer: its question, text, task, model, epoch and grade."""
    random = Random(20)
    lines = ["item,text,task,model,epoch,correct"]
    for text in range(TEXTS):
        task = list(TASKS)[text % len(TASKS)]
        shared = random.gauss(0, 0.8)
        for question in range(EACH):
            own = random.gauss(0, 1.2)
            for model, skill in SKILL.items():
                chance = 1 / (1 + math.exp(-(skill + TASKS[task] + shared + own)))
                for epoch in (1, 2):
                    right = int(random.random() < chance)
                    item = f"q{EACH * text + question + 1}"
                    lines.append(f"{item},t{text + 1},{task},{model},{epoch},{right}")
    path = folder / "answers.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


if __name__ == "__main__":
    place = Path(__file__).parents[1] / "src" / "tallymark" / "examples"
    print(answers(Path(sys.argv[1]) if len(sys.argv) > 1 else place))
