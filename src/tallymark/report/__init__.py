"""Finished results in, pictures and words out; nothing here computes."""
