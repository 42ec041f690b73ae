"""Renderers of results, by subject: their numbers as sentences, tables and charts."""
