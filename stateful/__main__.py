"""`python -m stateful` is the command `stateful`."""

from stateful.cli.main import main

if __name__ == "__main__":
    main()
