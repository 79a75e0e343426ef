"""`python -m quintet`: the same as the command `quintet`."""

from quintet.cli.app import main

main()
