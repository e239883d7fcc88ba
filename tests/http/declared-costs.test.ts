import { describe, expect, it } from "vitest";
import { fileEndpoints } from "#functions/files/endpoints";
import type { Endpoint } from "#functions/http/endpoint";
import { endpoints } from "#tests/support/endpoints";

const all = [...endpoints, ...fileEndpoints];
const costsMuch = ({ cost = "light" }: Endpoint) => cost !== "light";
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;
const named = (chosen: readonly Endpoint[]) => chosen.map(nameOf).sort();

/** Operations that take much work, by their paths' subjects. */
const heavyPaths =
  /markdown|markup|\/search|archive|zipball|tarball|bundle|diffpatch|\.\{diffType\}|compare|merge|sync_fork|\/commits(\/\{sha\})?$|\/branches(\/|$)|gpg_keys$|gpg_key_verify|\/wiki\/|editorconfig|issue_(templates|config)|git\/(trees|notes|tags)\/|forks$|generate$|password|\/activities\/|heatmap|\{repo\}\/licenses/;
/** Such that take little all the same. */
const light = [
  "patch /repos/{owner}/{repo}/branches/{branch}",
  "delete /repos/{owner}/{repo}/branches/{branch}",
  "get /repos/{owner}/{repo}/forks",
  "get /repos/{owner}/{repo}/pulls/{index}/merge",
  "delete /repos/{owner}/{repo}/pulls/{index}/merge",
  "get /user/gpg_keys",
  "get /users/{username}/gpg_keys",
];
/** Such that take much, though their path does not tell. */
const otherHeavy = [
  "delete /repos/{owner}/{repo}/contents/{filepath}",
  "get /admin/actions/jobs",
  "get /admin/actions/runs",
  "get /notifications",
  "get /orgs/{org}/actions/jobs",
  "get /orgs/{org}/actions/runs",
  "get /orgs/{org}/quota/artifacts",
  "get /orgs/{org}/quota/attachments",
  "get /orgs/{org}/quota/packages",
  "get /repos/{owner}/{repo}/issues",
  "get /repos/{owner}/{repo}/pulls/{index}/files",
  "get /repos/{owner}/{repo}/pulls/{index}/reviews",
  "get /repos/{owner}/{repo}/releases",
  "get /user/actions/jobs",
  "get /user/actions/runs",
  "get /user/quota/artifacts",
  "get /user/quota/attachments",
  "get /user/quota/packages",
  "patch /admin/users/{username}",
  "post /admin/users",
  "post /repos/migrate",
  "post /repos/{owner}/{repo}/contents",
  "post /repos/{owner}/{repo}/contents/{filepath}",
  "post /repos/{owner}/{repo}/import",
  "post /repos/{owner}/{repo}/import/complete",
  "post /repos/{owner}/{repo}/migration",
  "post /repos/{owner}/{repo}/mirror-sync",
  "post /repos/{owner}/{repo}/pulls",
  "post /repos/{owner}/{repo}/pulls/{index}/reviews",
  "post /repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments",
  "post /repos/{owner}/{repo}/pulls/{index}/update",
  "post /repos/{owner}/{repo}/push_mirrors-sync",
  "put /notifications",
  "put /repos/{owner}/{repo}/contents/{filepath}",
  "put /repos/{owner}/{repo}/notifications",
];

describe("operations", () => {
  it("that take much work declare it (D-RATE)", () => {
    const heavy = all.filter((one) => heavyPaths.test(one.path) && !light.includes(nameOf(one)));
    expect(heavy.length).toBeGreaterThan(45);
    expect(named(heavy.filter((one) => !costsMuch(one)))).toEqual([]);
  });

  it("that write files, hash a password or search when asked declare it, too", () => {
    expect(named(all.filter((one) => costsMuch(one) && !heavyPaths.test(one.path)))).toEqual(otherHeavy);
  });

  it("are light where clients call them most", () => {
    const often = [
      "get /version",
      "get /user",
      "get /repos/{owner}/{repo}",
      "post /repos/{owner}/{repo}/statuses/{sha}",
      "get /repos/{owner}/{repo}/issues/{index}",
      "get /repos/{owner}/{repo}/contents/{filepath}",
    ];
    const found = all.filter((one) => often.includes(nameOf(one)));
    expect([found.length, named(found.filter(costsMuch))]).toEqual([often.length, []]);
  });
});
