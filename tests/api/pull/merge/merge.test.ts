import { describe, expect, it } from "vitest";
import { mergedPulls } from "./merged-pulls.ts";

const { api, alice, bob, repositories, merge, commitOf, parentsOf, isMerged, diverged } = mergedPulls();

describe("repoMergePullRequest", () =>
  describe.each(["sha1", "sha256"])("in %s (semantics §22.2)", (format) => {
    const more = { object_format_name: format };

    it("200 merge: a commit with both parents by the merging user, in the usual words, and the request is merged; repoPullRequestIsMerged: 204 (ST-2)", async () => {
      const { repository, head, base, number } = await diverged(`merge-${format}`, more);
      expect(await merge(repository, number, { Do: "merge" })).toMatchObject({ status: 200, text: "" });
      const tip = await repositories.tipOf(repository, "main");
      const commit = await commitOf(repository, tip);
      expect(parentsOf(commit)).toEqual([base, head]);
      expect(commit.commit).toMatchObject({
        author: { name: "alice", email: "alice@example.com" },
        committer: { name: "alice" },
        message: `Merge pull request 'From topic' (#${number}) from topic into main\n`,
      });
      const { json } = await api.call("GET", `${repository}/pulls/${number}`, { as: alice });
      expect(json).toMatchObject({
        ...{ state: "closed", merged: true, merge_commit_sha: tip, merged_by: { login: "alice" } },
        ...{ mergeable: false, head: { sha: head } },
      });
      expect(json.merged_at).toBe(json.closed_at);
      expect(await isMerged(repository, number)).toBe(204);
      const timeline = await api.call("GET", `${repository}/issues/${number}/timeline`, { as: alice });
      expect(timeline.json.map(({ type }: { type: string }) => type)).toContain("merge_pull");
      const found = await api.call("GET", `${repository}/commits/${tip}/pull`, { as: alice });
      expect(found.json.number).toBe(number);
      const counted = await api.call("GET", repository, { as: alice });
      expect(counted.json.open_pr_counter).toBe(0);
    });

    it("200 rebase and rebase-merge: commits repeated with their author, and a merge of them", async () => {
      const { repository, head, base, number } = await diverged(`rebase-${format}`, more);
      expect((await merge(repository, number, { do: "rebase" })).status).toBe(200);
      const tip = await repositories.tipOf(repository, "main");
      const repeated = await commitOf(repository, tip);
      expect([parentsOf(repeated), repeated.commit.message]).toEqual([[base], "Write topic.txt\n"]);
      expect(tip).not.toBe(head);
      await repositories.commitOn(repository, "other", "other.txt", { from: "topic" });
      const second = await repositories.open(repository, "other");
      expect((await merge(repository, second, { Do: "rebase-merge" })).status).toBe(200);
      const merged = await commitOf(repository, await repositories.tipOf(repository, "main"));
      expect(parentsOf(merged)).toHaveLength(2);
      expect(parentsOf(merged)[0]).toBe(tip);
      const [, side = ""] = parentsOf(merged);
      expect(parentsOf(await commitOf(repository, side))).toEqual([tip]);
    });

    it("200 squash: one commit by the request's author, who is named when another one merges", async () => {
      const repository = await repositories.make(`squash-${format}`, more);
      await api.call("POST", `${repository}/forks`, { as: bob, body: {} });
      const fork = `/repos/bob/squash-${format}`;
      await repositories.commitOn(fork, "topic", "one.txt", { as: bob });
      await repositories.commitOn(fork, "topic", "two.txt", { as: bob });
      const number = await repositories.open(repository, "bob:topic", { title: "Both" }, bob);
      const base = await repositories.tipOf(repository, "main");
      expect((await merge(repository, number, { Do: "squash" })).status).toBe(200);
      const commit = await commitOf(repository, await repositories.tipOf(repository, "main"));
      expect(parentsOf(commit)).toEqual([base]);
      expect(commit.files.map(({ filename }: { filename: string }) => filename)).toEqual([
        "one.txt",
        "two.txt",
      ]);
      expect(commit.commit).toMatchObject({
        author: { name: "Bob B", email: "bob@example.com" },
        committer: { name: "alice" },
        message: `Both (#${number})\n\nCo-authored-by: Bob B <bob@example.com>\nCo-committed-by: Bob B <bob@example.com>\n`,
      });
    });

    it("200 fast-forward-only: the base is the head; 409 and an unchanged base when it is ahead", async () => {
      const { repository, base, number } = await diverged(`forward-${format}`, more);
      expect((await merge(repository, number, { Do: "fast-forward-only" })).status).toBe(409);
      expect(await repositories.tipOf(repository, "main")).toBe(base);
      expect(await isMerged(repository, number)).toBe(404);
      const ahead = await repositories.commitOn(repository, "ahead", "ahead.txt");
      const second = await repositories.open(repository, "ahead");
      expect((await merge(repository, second, { Do: "fast-forward-only" })).status).toBe(200);
      expect(await repositories.tipOf(repository, "main")).toBe(ahead);
    });
  }));

describe("repoMergePullRequest: messages", () => {
  it("takes title and text under either name, and a request without a body is a merge (D-MERGE)", async () => {
    const { repository, number } = await diverged("words");
    const body = { do: "merge", merge_title_field: " Title ", MergeMessageField: "Text\n" };
    expect((await merge(repository, number, body)).status).toBe(200);
    const commit = await commitOf(repository, await repositories.tipOf(repository, "main"));
    expect(commit.commit.message).toBe("Title\n\nText\n");
    const second = await diverged("bare");
    expect((await merge(second.repository, second.number)).status).toBe(200);
  });
});

describe("repoMergePullRequest: refusals (semantics §22.3)", () => {
  it("422 for an unknown or missing style and for a text over its bound; 404 for an issue and an unknown number", async () => {
    const { repository, number } = await diverged("bodies");
    for (const body of [
      { Do: "nonsense" },
      {},
      { Do: 7 },
      { Do: "merge", MergeMessageField: "x".repeat(65_537) },
    ]) {
      expect((await merge(repository, number, body)).status).toBe(422);
    }
    expect((await merge(repository, 99, { Do: "merge" })).status).toBe(404);
    const issue = await api.call("POST", `${repository}/issues`, { as: alice, body: { title: "I" } });
    expect((await merge(repository, issue.json.number, { Do: "merge" })).status).toBe(404);
    expect(await isMerged(repository, number)).toBe(404);
  });

  it("405 a second time, by a reader, for a draft, and in a style that is not allowed; 404 when closed", async () => {
    const { repository, number } = await diverged("refused");
    const settings = { allow_squash_merge: false };
    await api.call("PATCH", repository, { as: alice, body: settings });
    expect((await merge(repository, number, { Do: "squash" })).status).toBe(405);
    expect((await merge(repository, number, { Do: "manually-merged" })).status).toBe(405);
    expect((await merge(repository, number, { Do: "merge" }, bob)).status).toBe(405);
    await api.call("PATCH", `${repository}/pulls/${number}`, { as: alice, body: { title: "WIP: it" } });
    expect((await merge(repository, number, { Do: "merge" })).status).toBe(405);
    await api.call("PATCH", `${repository}/pulls/${number}`, {
      as: alice,
      body: { title: "it", state: "closed" },
    });
    expect((await merge(repository, number, { Do: "merge" })).status).toBe(404);
    await api.call("PATCH", `${repository}/pulls/${number}`, { as: alice, body: { state: "open" } });
    expect((await merge(repository, number, { Do: "merge" })).status).toBe(200);
    expect((await merge(repository, number, { Do: "merge" })).status).toBe(405);
  });

  it("409 for a head that the caller has not seen; 200 for the right one", async () => {
    const { repository, base, head, number } = await diverged("guarded");
    expect((await merge(repository, number, { Do: "merge", head_commit_id: base })).status).toBe(409);
    expect((await merge(repository, number, { Do: "merge", head_commit_id: head })).status).toBe(200);
  });

  it("409 with what conflicts; 405 once it is known; and nothing is merged", async () => {
    const repository = await repositories.make("conflicting");
    await repositories.commitOn(repository, "topic", "same.txt", { content: "one\n" });
    const number = await repositories.open(repository, "topic");
    const base = await repositories.commitOn(repository, "main", "same.txt", { content: "two\n" });
    expect(await merge(repository, number, { Do: "rebase" })).toMatchObject({
      status: 409,
      json: { Style: "rebase", StdErr: "", StdOut: "CONFLICT: same.txt\n", CommitSHA: expect.any(String) },
    });
    const { json } = await api.call("GET", `${repository}/pulls/${number}`, { as: alice });
    expect(json.mergeable).toBe(false);
    expect((await merge(repository, number, { Do: "merge" })).status).toBe(405);
    expect(await repositories.tipOf(repository, "main")).toBe(base);
  });

  it("405 while it waits for an open issue", async () => {
    const { repository, number } = await diverged("waiting");
    const issue = await api.call("POST", `${repository}/issues`, { as: alice, body: { title: "First" } });
    const on = { owner: "alice", repo: "waiting", index: issue.json.number };
    const path = `${repository}/issues/${number}/dependencies`;
    expect((await api.call("POST", path, { as: alice, body: on })).status).toBe(201);
    expect((await merge(repository, number, { Do: "merge" })).status).toBe(405);
    await api.call("PATCH", `${repository}/issues/${issue.json.number}`, {
      as: alice,
      body: { state: "closed" },
    });
    expect((await merge(repository, number, { Do: "merge" })).status).toBe(200);
  });

  it("200 manually-merged: the commit of the base that is named; 409 for others", async () => {
    const { repository, base, head, number } = await diverged("by-hand");
    await api.call("PATCH", repository, { as: alice, body: { allow_manual_merge: true } });
    const by = (MergeCommitID: string) => merge(repository, number, { Do: "manually-merged", MergeCommitID });
    for (const wrong of [head, base.slice(0, 10), "", "main"]) expect((await by(wrong)).status).toBe(409);
    expect((await by(base)).status).toBe(200);
    const { json } = await api.call("GET", `${repository}/pulls/${number}`, { as: alice });
    expect(json).toMatchObject({ merged: true, merge_commit_sha: base });
    expect(await repositories.tipOf(repository, "main")).toBe(base);
  });

  it("200 for a head that the base has already: nothing moves", async () => {
    const { repository, number } = await diverged("contained");
    const twin = await repositories.open(repository, "main", { base: "topic", title: "Back" });
    await merge(repository, twin, { Do: "fast-forward-only" });
    await merge(repository, twin, { Do: "merge" });
    await merge(repository, number, { Do: "merge" });
    expect(await isMerged(repository, number)).toBe(204);
  });
});

describe("repoMergePullRequest: what follows (semantics §22.5)", () => {
  it("closes the issues that the text names, as the merging user and where they may", async () => {
    const { repository, number } = await diverged("closing");
    const [one, two] = await Promise.all(
      ["One", "Two"].map(
        async (title) =>
          (await api.call("POST", `${repository}/issues`, { as: alice, body: { title } })).json.number,
      ),
    );
    await api.call("PATCH", `${repository}/pulls/${number}`, {
      as: alice,
      body: { body: `Fixes #${one} and #${two}` },
    });
    await merge(repository, number, { Do: "squash" });
    const stateOf = async (index: number) =>
      (await api.call("GET", `${repository}/issues/${index}`, { as: alice })).json.state;
    expect([await stateOf(one), await stateOf(two)]).toEqual(["closed", "open"]);
  });

  it("deletes the head branch when asked: timeline delete_branch; it stays while another request comes from it", async () => {
    const { repository, number } = await diverged("deleting");
    await api.call("POST", `${repository}/branches`, { as: alice, body: { new_branch_name: "release" } });
    const other = await repositories.open(repository, "topic", { base: "release" });
    const body = { Do: "merge", delete_branch_after_merge: true };
    expect((await merge(repository, number, body)).status).toBe(200);
    expect((await api.call("GET", `${repository}/branches/topic`, { as: alice })).status).toBe(200);
    expect((await merge(repository, other, body)).status).toBe(200);
    expect((await api.call("GET", `${repository}/branches/topic`, { as: alice })).status).toBe(404);
    const { json } = await api.call("GET", `${repository}/issues/${other}/timeline`, { as: alice });
    expect(json.map(({ type }: { type: string }) => type)).toContain("delete_branch");
  });
});
