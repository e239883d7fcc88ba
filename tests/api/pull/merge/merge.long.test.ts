import { describe, expect, it } from "vitest";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { mergedPulls } from "./merged-pulls.ts";

const { api, alice, bob, repositories, merge, commitOf, isMerged } = mergedPulls();

describe("repoMergePullRequest: messages", () => {
  it("uses the template of the style on the default branch, with its variables, up to a bound", async () => {
    const repository = await repositories.make("template");
    const path = ".forgejo/default_merge_message/MERGE_TEMPLATE.md";
    const named = (name: string) => `\${${name}}`;
    const sides = `${named("BaseRepoOwnerName")} ${named("HeadBranch")}>${named("BaseBranch")}`;
    const first = `${named("PullRequestReference")}: $PullRequestTitle`;
    const content = `${first}\n\n${sides} ${named("ClosingIssues")}${named("Nothing")}`;
    await repositories.commitOn(repository, "main", path, { content });
    await repositories.commitOn(repository, "topic", "a.txt");
    const issue = await api.call("POST", `${repository}/issues`, { as: alice, body: { title: "Bug" } });
    const number = await repositories.open(repository, "topic", {
      title: "T",
      body: `fixes #${issue.json.number}`,
    });
    await merge(repository, number, { Do: "merge" });
    const commit = await commitOf(repository, await repositories.tipOf(repository, "main"));
    expect(commit.commit.message).toBe(`#${number}: T\n\nalice topic>main close #${issue.json.number}\n`);
    const long = "$PullRequestDescription".repeat(2_000);
    await repositories.commitOn(repository, "main", path, { content: `T\n\n${long}` });
    await repositories.commitOn(repository, "second", "b.txt");
    const second = await repositories.open(repository, "second", { body: "x".repeat(60_000) });
    expect((await merge(repository, second, { Do: "merge" })).status).toBe(200);
    const bounded = await commitOf(repository, await repositories.tipOf(repository, "main"));
    expect(bounded.commit.message.length).toBeLessThan(70_000);
  });
});

describe("repoMergePullRequest: what follows (semantics §22.5)", () => {
  it.each(["merge", "rebase"])("%s: closes the issue that a commit of the head names, once", async (Do) => {
    await api.queues.take("repository-events"); // what other tests left
    const repository = await repositories.make(`committed-${Do}`);
    const issue = await api.call("POST", `${repository}/issues`, { as: alice, body: { title: "Bug" } });
    const path = `${repository}/issues/${issue.json.number}`;
    const written = { content: "", message: `Mend it\n\nFixes #${issue.json.number}`, new_branch: "topic" };
    await api.call("POST", `${repository}/contents/a.txt`, { as: alice, body: written });
    await repositories.commitOn(repository, "main", "main.txt");
    const number = await repositories.open(repository, "topic");
    const work = () =>
      api.queues.drain("repository-events", (batch) => repositoryEventsWorker(api.forge, batch));
    await work();
    expect((await api.call("GET", path, { as: alice })).json.state).toBe("open");
    expect((await merge(repository, number, { Do })).status).toBe(200);
    while ((await work()).done > 0);
    expect((await api.call("GET", path, { as: alice })).json.state).toBe("closed");
    const { json } = await api.call("GET", `${path}/timeline`, { as: alice });
    expect(json.filter(({ type }: { type: string }) => type === "close")).toHaveLength(1);
  });

  it("403 although merged, when the caller may not delete the head branch", async () => {
    const repository = await repositories.make("keeping");
    await api.call("POST", `${repository}/forks`, { as: bob, body: {} });
    await repositories.commitOn("/repos/bob/keeping", "topic", "a.txt", { as: bob });
    const number = await repositories.open(repository, "bob:topic", {}, bob);
    const body = { Do: "merge", delete_branch_after_merge: true };
    expect((await merge(repository, number, body)).status).toBe(403);
    expect(await isMerged(repository, number)).toBe(204);
    expect((await api.call("GET", "/repos/bob/keeping/branches/topic", { as: bob })).status).toBe(200);
  });
});
