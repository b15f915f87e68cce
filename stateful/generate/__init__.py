"""Random-testing sessions: pools, values, calls, and what is recorded of them.

`session` is the supervisor's side, `engine` runs in the worker. Workers import this package without the database:
nothing is imported here.
"""
