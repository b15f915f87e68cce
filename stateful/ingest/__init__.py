"""Run files to database: merge them by content, evaluate every query on every object, derive transitions.

`merge` and `evaluation` are the supervisor's side, `observer` runs in the worker: nothing is imported here.
"""
