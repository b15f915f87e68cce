"""Try to violate each inferred clause: negate it, find objects in SQL, call the routine, let the test decide.

`engine` is the supervisor's side, `trying` runs in the worker: nothing is imported here.
"""
