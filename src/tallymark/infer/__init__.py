"""Estimate uncertainty: intervals, tests, confidence bands and sample sizes."""
