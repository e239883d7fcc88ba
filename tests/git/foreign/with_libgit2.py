"""Git by libgit2, as cargo and editors use it: clone URL DIR, fetch DIR, push DIR SPEC..."""

import json
import sys

import pygit2


class Refusals(pygit2.RemoteCallbacks):
    """What was refused of a push, by the names of the refs."""

    def __init__(self):
        super().__init__()
        self.refused = {}

    def push_update_reference(self, refname, message):
        if message is not None:
            self.refused[refname] = message


def clone(url, folder):
    pygit2.clone_repository(url, folder)


def fetch(folder):
    pygit2.Repository(folder).remotes["origin"].fetch()


def push(folder, *specs):
    callbacks = Refusals()
    pygit2.Repository(folder).remotes["origin"].push(list(specs), callbacks=callbacks)
    return callbacks.refused


if __name__ == "__main__":
    print(json.dumps({"clone": clone, "fetch": fetch, "push": push}[sys.argv[1]](*sys.argv[2:])))
