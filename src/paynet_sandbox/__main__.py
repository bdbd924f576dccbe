"""``python -m paynet_sandbox``: the command line."""

from .cli import main

main()
