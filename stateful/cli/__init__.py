"""The command line: one file for each command; it parses, calls and prints."""
