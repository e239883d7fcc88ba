import { describe, expect, it } from "vitest";
import { refusesArchived } from "#functions/http/archived";

const below = (path: string) => `/repos/{owner}/{repo}${path}`;

/** Paths as the compatible family writes them, whether they are served yet or not. */
const refused = [
  "post /issues",
  "post /issues/{index}/comments",
  "patch /issues/comments/{id}",
  "patch /issues/{index}/comments/{id}",
  "post /issues/{index}/assets",
  "patch /issues/{index}/assets/{attachment_id}",
  "delete /issues/comments/{id}/assets/{attachment_id}",
  "post /issues/{index}/dependencies",
  "delete /issues/{index}/dependencies",
  "post /pulls",
  "post /pulls/{index}/merge",
  "delete /pulls/{index}/merge",
  "post /branches",
  "delete /branches/{branch}",
  "post /tags",
  "delete /tags/{tag}",
  "put /contents/{filepath}",
  "post /contents",
  "post /diffpatch",
  "post /sync_fork",
  "post /sync_fork/{branch}",
  "post /merge-upstream",
  "post /branch_protections",
  "patch /branch_protections/{name}",
  "post /tag_protections",
  "delete /tag_protections/{id}",
  "post /mirror-sync",
  "post /push_mirrors-sync",
  "post /push_mirrors",
  "delete /push_mirrors/{name}",
  "post /wiki/new",
  "patch /wiki/page/{pageName}",
  "post /actions/workflows/{workflowname}/dispatches",
  "post /releases",
  "patch /releases/{id}",
];
const answered = [
  "get /issues",
  "get /branches",
  "patch ",
  "delete ",
  "patch /issues/{index}",
  "delete /issues/comments/{id}",
  "patch /pulls/{index}",
  "put /issues/{index}/labels",
  "post /labels",
  "post /milestones",
  "post /issues/{index}/times",
  "delete /issues/{index}/blocks",
  "delete /branch_protections/{name}",
  "post /file-contents",
  "get /sync_fork/{branch}",
  "post /hooks",
  "put /collaborators/{collaborator}",
  "post /keys",
  "put /subscription",
  "put /topics",
  "post /forks",
  "post /transfer",
];
const split = (line: string) => [line.split(" ")[0] ?? "", below(line.slice(line.indexOf(" ") + 1))] as const;

describe("operations on archived repositories (semantics §1.8, D-ARCHIVED)", () => {
  it.each(refused)("423: %s", (line) => expect(refusesArchived(...split(line))).toBe(true));
  it.each(answered)("answered: %s", (line) => expect(refusesArchived(...split(line))).toBe(false));
  it("nothing that is not about one repository by its name", () => {
    expect(refusesArchived("post", "/repos/issues/search")).toBe(false);
    expect(refusesArchived("post", "/user/repos")).toBe(false);
  });
});
