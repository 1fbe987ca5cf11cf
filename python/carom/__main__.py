"""The program carom, as the shell knows it: python3 -m carom run scene.yaml."""

import os
import sys

from ._program import program


def main() -> None:
    os.execv(program(), ["carom", *sys.argv[1:]])


if __name__ == "__main__":
    main()
