"""Rendering of finished results as text, pages and pictures; nothing here computes metrics."""
