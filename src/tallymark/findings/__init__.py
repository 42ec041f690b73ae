"""Findings (assumptions, warnings, advice), the list of their rules, and advice."""
