"""Git by dulwich, which shares no code with git: clone URL DIR [DEPTH], fetch DIR [DEPTH], push DIR SPEC..."""

import io
import json
import re
import sys

from dulwich import porcelain


def clone(url, folder, depth=None):
    porcelain.clone(url, folder, depth=depth and int(depth), errstream=io.BytesIO())


def fetch(folder, depth=None):
    porcelain.fetch(folder, "origin", depth=depth and int(depth), errstream=io.BytesIO())


def push(folder, *specs):
    said = io.BytesIO()
    porcelain.push(folder, "origin", list(specs), outstream=io.BytesIO(), errstream=said)
    lines = said.getvalue().decode()
    return dict(re.findall(r"^Push of ref (\S+) failed: (.*)$", lines, re.MULTILINE))


if __name__ == "__main__":
    print(json.dumps({"clone": clone, "fetch": fetch, "push": push}[sys.argv[1]](*sys.argv[2:])))
