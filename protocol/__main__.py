"""`python -m protocol` is the command `damier`."""

import sys

from protocol.cli import main

sys.exit(main())
