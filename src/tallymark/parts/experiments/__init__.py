"""Experiments: models are trained on data sets, and every fold is judged and kept."""

from tallymark.part import Part

PART = Part(__name__, results=("experiment:of_data_sets",), results_options=("options:add",))
