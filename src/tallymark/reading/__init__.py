"""Rows in, one counted model each out: the readers of arrays, frames and files.

Whatever the source, rows arrive in chunks of coded labels and numbers; each chunk is checked,
counted and forgotten.
"""
