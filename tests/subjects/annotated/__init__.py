"""A package whose annotations are written in many ways."""
