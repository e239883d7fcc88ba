"""A story by pyforgejo: `play_pyforgejo.py <url> <token>`. Ends with an AssertionError at the first step that doesn't hold."""

import base64
import sys

from pyforgejo import PyforgejoApi
from pyforgejo.core.api_error import ApiError


def text(value):
    return base64.b64encode(value.encode()).decode()


def refused(status, call):
    try:
        call()
    except ApiError as error:
        assert error.status_code == status, error
        return
    raise AssertionError(f"no {status}")


url, token = sys.argv[1:]
client = PyforgejoApi(base_url=f"{url}/api/v1", api_key=token)
assert client.user.get_current().login == "root"

ada = client.admin.create_user(email="ada@example.com", username="ada", password="correct-horse-9")
assert ada.login == "ada" and ada.created.year > 2000
print("ok: a user")

repo = client.repository.create_current_user_repo(name="hello", auto_init=True, default_branch="main")
assert repo.full_name == "root/hello" and repo.owner.login == "root"
place = {"owner": "root", "repo": "hello"}
assert client.repository.repo_create_branch(**place, new_branch_name="topic").name == "topic"
assert client.repository.repo_get_branch(**place, branch="topic").commit.id
print("ok: a repository, a branch")

made = client.repository.repo_create_file(**place, filepath="a.txt", content=text("one"), branch="topic")
client.repository.repo_update_file(
    **place, filepath="a.txt", content=text("two"), sha=made.content.sha, branch="topic"
)
read = client.repository.repo_get_contents(**place, filepath="a.txt", ref="topic")
assert base64.b64decode(read.content) == b"two"
print("ok: a file is created, changed, read")

pull = client.repository.repo_create_pull_request(**place, title="Topic", head="topic", base="main")
assert pull.state == "open" and pull.head.ref == "topic" and not pull.merged
client.repository.repo_merge_pull_request(**place, index=pull.number, do="squash")
assert client.repository.repo_get_pull_request(**place, index=pull.number).merged
print("ok: a pull request is opened and merged")

label = client.issue.create_label(**place, name="bug", color="#aabbcc")
issue = client.issue.create_issue(**place, title="It fails", body="often", labels=[label.id], assignees=["root"])
assert [one.name for one in issue.labels] == ["bug"]
client.issue.create_comment(**place, index=issue.number, body="so it does")
edited = client.issue.edit_issue(**place, index=issue.number, state="closed")
assert edited.state == "closed" and edited.comments == 1
print("ok: an issue with a label and a comment")

release = client.repository.repo_create_release(**place, tag_name="v1", name="One")
asset = client.repository.repo_create_release_attachment(**place, id=release.id, request=b"bytes", name="a.bin")
found = client.repository.repo_get_release_by_tag(**place, tag="v1")
assert found.id == release.id and [one.size for one in found.assets] == [asset.size] == [5]
print("ok: a release with an asset")

client.repository.repo_delete(**place)
refused(404, lambda: client.repository.repo_get(**place))
print("ok: a missing repository is told as 404")
