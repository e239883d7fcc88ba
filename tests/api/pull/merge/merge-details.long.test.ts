import { describe, expect, it } from "vitest";
import { git } from "../../../git/http/real-git.ts";
import { writtenPulls } from "./written-pulls.ts";

const { api, repositories, call, merge, messageOf, written, log } = writtenPulls();

describe("repoMergePullRequest: people and dates (semantics §22.2)", () => {
  const repeated = (committer: string) => [
    `Bo <bo@example.org> 1600001000 +0130, ${committer}: Write 1`,
    `Ada <ada@example.org> 1600000000 +0130, ${committer}: Write 0`,
  ];

  it("a merge of repeated commits, a merge and a squash of one's own request are by the merging user", async () => {
    const { repository, copy, number } = await written("merged");
    const now = Math.floor(api.clock.now() / 1_000);
    const own = `Alice A <alice@example.com>`;
    expect(await merge(repository, number, { Do: "rebase-merge" })).toBe(200);
    const title = `Merge pull request 'From topic' (#${number}) from topic into main`;
    expect(await log(copy, 1)).toEqual([`${own} ${now} +0000, ${own} ${now}: ${title}`]);
    expect(await log(copy, 2, "^2")).toEqual(repeated(`${own} ${now}`));
    await repositories.commitOn(repository, "next", "next.txt");
    const next = await repositories.open(repository, "next");
    expect(await merge(repository, next, { Do: "squash" })).toBe(200);
    expect(await log(copy, 1)).toEqual([`${own} ${now} +0000, ${own} ${now}: From next (#${next})`]);
    expect(await messageOf(repository)).toBe(`From next (#${next})\n`);
  });
});

describe("repoMergePullRequest: settings that are for pages alone", () => {
  it("default_delete_branch_after_merge is shown; the head stays unless the merge says otherwise", async () => {
    const repository = await repositories.make("proposed");
    await repositories.commitOn(repository, "topic", "a.txt");
    const number = await repositories.open(repository, "topic");
    const { json } = await call("PATCH", repository, { default_delete_branch_after_merge: true });
    expect(json.default_delete_branch_after_merge).toBe(true);
    expect(await merge(repository, number, { Do: "merge" })).toBe(200);
    expect((await call("GET", `${repository}/branches/topic`)).status).toBe(200);
  });

  it("ignore_whitespace_conflicts is shown; lines that differ in white space alone conflict", async () => {
    const repository = await repositories.make("spaced");
    await repositories.commitOn(repository, "main", "a.txt", { content: "one\n" });
    await repositories.commitOn(repository, "topic", "a.txt", { content: "one  \n" });
    await repositories.commitOn(repository, "main", "a.txt", { content: "one\t\n" });
    const number = await repositories.open(repository, "topic");
    const { json } = await call("PATCH", repository, { ignore_whitespace_conflicts: true });
    expect(json.ignore_whitespace_conflicts).toBe(true);
    expect((await call("GET", `${repository}/pulls/${number}`)).json.mergeable).toBe(false);
    expect(await merge(repository, number, { Do: "merge" })).toBe(405);
  });
});

describe("repoMergePullRequest: manually-merged (semantics §22.2, §22.3)", () => {
  it("405 unless the repository allows it; a draft, too; merged when the commit was written, by who says so", async () => {
    const { repository, copy, number } = await written("by-hand");
    await git(copy, ["push", "-q", "origin", "+HEAD:main"]);
    const commit = await git(copy, ["rev-parse", "HEAD"]);
    await call("PATCH", `${repository}/pulls/${number}`, { title: "WIP: not ready" });
    const body = { Do: "manually-merged", MergeCommitID: commit.toUpperCase() };
    expect(await merge(repository, number, body)).toBe(405);
    await call("PATCH", repository, { allow_manual_merge: true });
    expect(await merge(repository, number, body)).toBe(200);
    const { json } = await call("GET", `${repository}/pulls/${number}`);
    expect(json).toMatchObject({ merged: true, merge_commit_sha: commit, merged_by: { login: "alice" } });
    expect(Date.parse(json.merged_at) / 1_000).toBe(1_600_001_000);
    expect((await call("GET", `${repository}/commits/${commit}/pull`)).json.number).toBe(number);
  });
});

describe("repoMergePullRequest: templates (semantics §22.2)", () => {
  it("each style has its own, in .forgejo or .gitea of the default branch; a given title wins, a given text replaces the template's", async () => {
    const repository = await repositories.make("templates");
    const folder = "default_merge_message";
    const words = (text: string) => ({
      content: `${text} $PullRequestIndex\n\n$HeadBranch by $PullRequestPosterName`,
    });
    await repositories.commitOn(repository, "main", `.gitea/${folder}/SQUASH_TEMPLATE.md`, words("Squash"));
    await repositories.commitOn(repository, "main", `.gitea/${folder}/MERGE_TEMPLATE.md`, words("No"));
    await repositories.commitOn(repository, "main", `.forgejo/${folder}/MERGE_TEMPLATE.md`, words("Merge"));
    const path = `.forgejo/${folder}/REBASE-MERGE_TEMPLATE.md`;
    await repositories.commitOn(repository, "other", path, words("Elsewhere"));
    const mergedWith = async (head: string, body: object) => {
      await repositories.commitOn(repository, head, `${head}.txt`);
      const number = await repositories.open(repository, head);
      expect(await merge(repository, number, body)).toBe(200);
      return (await messageOf(repository)).replaceAll(String(number), "N");
    };
    expect(await mergedWith("a", { Do: "squash" })).toBe("Squash N\n\na by alice\n");
    expect(await mergedWith("b", { Do: "merge" })).toBe("Merge N\n\nb by alice\n");
    expect(await mergedWith("c", { Do: "merge", MergeMessageField: "Text" })).toBe("Merge N\n\nText\n");
    expect(await mergedWith("d", { Do: "merge", MergeTitleField: "Title" })).toBe("Title\n");
    const usual = "Merge pull request 'From e' (#N) from e into main\n";
    expect(await mergedWith("e", { Do: "rebase-merge" })).toBe(usual);
  });
});
