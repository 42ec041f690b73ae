"""Rows in, counts out."""
