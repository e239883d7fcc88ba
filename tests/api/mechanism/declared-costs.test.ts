import { describe, expect, it } from "vitest";
import type { Endpoint } from "#functions/api/endpoint";
import { endpoints } from "#functions/api/endpoints";
import { fileEndpoints } from "#functions/files/endpoints";

const all = [...endpoints, ...fileEndpoints];
const costsMuch = ({ cost = "light" }: Endpoint) => cost !== "light";
const named = (chosen: readonly Endpoint[]) => chosen.map(({ id }) => id).sort();

/** What takes much work, by what its path is about. */
const heavyPaths =
  /markdown|markup|\/search|archive|zipball|tarball|bundle|diffpatch|\.\{diffType\}|compare|merge|sync_fork|\/commits(\/\{sha\})?$|\/branches(\/|$)|gpg_keys$|gpg_key_verify|\/wiki\/|editorconfig|issue_(templates|config)|git\/(trees|notes|tags)\/|forks$|generate$|password/;
/** Paths that match and take little. */
const light = [
  "repoRenameBranch",
  "repoDeleteBranch",
  "listForks",
  "userCurrentListGPGKeys",
  "userListGPGKeys",
];

describe("operations", () => {
  it("that take much work declare it (D-RATE)", () => {
    const heavy = all.filter(({ id, path }) => heavyPaths.test(path) && !light.includes(id));
    expect(heavy.length).toBeGreaterThan(45);
    expect(named(heavy.filter((one) => !costsMuch(one)))).toEqual([]);
  });

  it("that write files, or hash a password, declare it, too", () => {
    const others = all.filter((one) => costsMuch(one) && !heavyPaths.test(one.path));
    expect(named(others)).toEqual([
      "adminCreateUser",
      "adminEditUser",
      "issueListIssues",
      "repoChangeFiles",
      "repoCreateFile",
      "repoDeleteFile",
      "repoUpdateFile",
    ]);
  });

  it("are light where clients call them most", () => {
    const often = [
      "getVersion",
      "userGetCurrent",
      "repoGet",
      "repoCreateStatus",
      "issueGetIssue",
      "repoGetContents",
    ];
    const found = all.filter(({ id }) => often.includes(id));
    expect([found.length, named(found.filter(costsMuch))]).toEqual([often.length, []]);
  });
});
