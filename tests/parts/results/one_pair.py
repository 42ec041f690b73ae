"""The Bayesian signed rank test of one pair of classifiers."""

from tallymark.infer.corrected_t import differences
from tallymark.parts.results.posteriors import signed_ranks


def signed_rank(a, b, **options):
    (posterior,) = signed_ranks(differences(a, b)[None], **options)
    return posterior
