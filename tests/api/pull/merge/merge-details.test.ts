import { describe, expect, it } from "vitest";
import { git } from "../../../git/http/real-git.ts";
import { writtenPulls } from "./written-pulls.ts";

const { api, repositories, call, merge, messageOf, written, log } = writtenPulls();

describe("repoMergePullRequest: people and dates (semantics §22.2)", () => {
  const repeated = (committer: string) => [
    `Bo <bo@example.org> 1600001000 +0130, ${committer}: Write 1`,
    `Ada <ada@example.org> 1600000000 +0130, ${committer}: Write 0`,
  ];

  it("a rebase keeps authors and their dates, and the merging user commits now; messages and trees are git's", async () => {
    const { repository, copy, number } = await written("rebased");
    const now = Math.floor(api.clock.now() / 1_000);
    const committer = `Alice A <alice@example.com> ${now}`;
    expect(await merge(repository, number, { Do: "rebase" })).toBe(200);
    expect(await log(copy, 2)).toEqual(repeated(committer));
    expect(await messageOf(repository)).toBe("Write 1\n\nWhy.\n");
    await git(copy, ["rebase", "-q", "FETCH_HEAD~2"]);
    const trees = (tip: string) => git(copy, ["log", "-2", "--format=%T", tip]);
    expect(await trees("FETCH_HEAD")).toBe(await trees("HEAD"));
  });
});

describe("repoMergePullRequest: settings of the repository", () => {
  it.each([
    ["merge", "allow_merge_commits"],
    ["rebase", "allow_rebase"],
    ["rebase-merge", "allow_rebase_explicit"],
    ["squash", "allow_squash_merge"],
    ["fast-forward-only", "allow_fast_forward_only_merge"],
  ])("405 for %s where %s is false, and 200 again when it is true", async (style, setting) => {
    const repository = await repositories.make(`not-${style}`);
    await repositories.commitOn(repository, "topic", "a.txt");
    const number = await repositories.open(repository, "topic");
    await call("PATCH", repository, { [setting]: false });
    expect(await merge(repository, number, { Do: style })).toBe(405);
    await call("PATCH", repository, { [setting]: true });
    expect(await merge(repository, number, { Do: style })).toBe(200);
  });
});
