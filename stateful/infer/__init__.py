"""Derive clauses: fill the templates, drop what the tests refute, keep what says something. It begins in `engine`."""
