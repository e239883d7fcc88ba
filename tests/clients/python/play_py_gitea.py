"""A story by py-gitea: `play_py_gitea.py <url> <token>`. Ends with an AssertionError at the first step that doesn't hold."""

import base64
import sys

from gitea import Gitea, Issue, NotFoundException, Organization, Repository, Team, User
from gitea.exceptions import Unprocessable


def text(value):
    return base64.b64encode(value.encode()).decode()


def refused(error, call):
    try:
        call()
    except error:
        return
    raise AssertionError(f"no {error.__name__}")


url, token = sys.argv[1:]
gitea = Gitea(url, token)
assert gitea.get_version() and gitea.get_user().username == "root"

ada = gitea.create_user("ada", "ada@example.com", "correct-horse-9", change_pw=False, send_notify=False)
refused(Unprocessable, lambda: gitea.create_user("ada", "other@example.com", "correct-horse-9"))
assert User.request(gitea, "ada").email == "ada@example.com"
assert gitea.get_user_by_email("ada@example.com").username == "ada"
assert {user.username for user in gitea.get_users()} >= {"ada", "root"}
ada.full_name = "Ada L."
ada.commit(login_name="ada")
assert User.request(gitea, "ada").full_name == "Ada L."
print("ok: a user is created, found, edited")

acme = gitea.create_org(gitea.get_user(), "Acme", "makes things")
team = gitea.create_team(acme, "crew", permission="write")
team.add_user(ada)
wares = acme.create_repo("wares", autoInit=True, private=False)
team.add_repo("Acme", wares)
assert [member.username for member in team.get_members()] == ["ada"]
assert [one.name for one in acme.get_repositories()] == ["wares"]
assert acme.get_team("crew").id == team.id and Team.request(gitea, team.id).name == "crew"
print("ok: an organization, its team and repository")

repo = gitea.create_repo(gitea.get_user(), "hello", description="first", default_branch="main")
repo.description = "second"
repo.commit()
repo = Repository.request(gitea, "root", "hello")
assert repo.description == "second" and repo.get_full_name() == "root/hello"
repo.add_topic("python")
assert repo.get_topics() == ["python"]
[main] = repo.get_branches()
assert repo.add_branch(main, "topic").name == "topic"
assert {branch.name for branch in repo.get_branches()} == {"main", "topic"}
print("ok: a repository, a topic, a branch")

repo.create_file("a.txt", text("one"), {"branch": "topic", "message": "one"})
[content] = [one for one in gitea.requests_get("/repos/root/hello/contents", {"ref": "topic"}) if one["name"] == "a.txt"]
repo.change_file("a.txt", content["sha"], text("two"), {"branch": "topic", "message": "two"})
[readme] = [one for one in repo.get_git_content() if one.name == "README.md"]
assert "hello" in base64.b64decode(repo.get_file_content(readme)).decode()
repo.delete_file("README.md", readme.sha, {"message": "none"})
assert repo.get_git_content() == [] and len(repo.get_commits()) == 2
print("ok: files are created, changed, read, deleted")

asked = {"title": "Topic", "head": "topic", "base": "main"}
pull = gitea.requests_post("/repos/root/hello/pulls", asked)
assert pull["state"] == "open"
gitea.requests_post(f"/repos/root/hello/pulls/{pull['number']}/merge", {"Do": "merge"})
assert gitea.requests_get(f"/repos/root/hello/pulls/{pull['number']}")["merged"]
assert [one.name for one in repo.get_git_content()] == ["a.txt"]
print("ok: a pull request is opened and merged")

label = gitea.requests_post("/repos/root/hello/labels", {"name": "bug", "color": "#aabbcc"})
issue = Issue.create_issue(gitea, repo, "It fails", "often")
gitea.requests_post(f"/repos/root/hello/issues/{issue.number}/labels", {"labels": [label["id"]]})
milestone = repo.create_milestone("soon", "for now")
[issue] = [one for one in repo.get_issues() if one.number == issue.number]
assert [one["name"] for one in issue.labels] == ["bug"] and issue.body == "often"
issue.add_time(90)
assert repo.get_user_time("root") == 90
issue.title, issue.state = "It failed", Issue.CLOSED
issue.commit()
assert [one.title for one in repo.get_issues_state(Issue.CLOSED) if one.pull_request is None] == ["It failed"]
print("ok: an issue with a label and time, a milestone")

release = gitea.requests_post("/repos/root/hello/releases", {"tag_name": "v1", "name": "One"})
assert gitea.requests_get("/repos/root/hello/releases/tags/v1")["id"] == release["id"]
gitea.requests_delete(f"/repos/root/hello/releases/{release['id']}")
refused(NotFoundException, lambda: gitea.requests_get("/repos/root/hello/releases/tags/v1"))
print("ok: a release")

for gone in (repo, Repository.request(gitea, "Acme", "wares"), team, acme, ada):
    gone.delete()
refused(NotFoundException, lambda: Repository.request(gitea, "root", "hello"))
refused(NotFoundException, lambda: Organization.request(gitea, "Acme"))
print("ok: all of it is deleted")
