"""Readers of arrays, frames and files: each turns rows into counts per model.

Whatever the source, rows arrive in chunks of coded labels and numbers; each chunk is checked,
counted and forgotten.
"""
