"""Counts in, certainty out: intervals and tests."""
