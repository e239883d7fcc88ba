import { describe, expect, it } from "vitest";
import { pushToRepository } from "#core/repository/push";
import type { Repository } from "#core/repository/repository.table";
import { repositoryKey } from "#core/repository/repository.table";
import { withMeanwhile } from "#tests/support/race/meanwhile";
import { makeCommit } from "../../core/repository/commits.ts";
import { editedHeads } from "./edited-heads.ts";

const { world, bob, carol, call, requested, cloneOf, refused403 } = editedHeads();

describe("allow_maintainer_edit: git push to the head of a request, by users who may write to its base (semantics §45)", () => {
  it("lets nobody push to a branch of others by a request of their own from there", async () => {
    const base = await world.makeRepository("victim");
    await call("POST", `${base}/forks`, bob, { name: "trap" });
    await world.commitOn(base, "release");
    const body = { title: "T", head: "alice:release", base: "main", allow_maintainer_edit: true };
    const { status, json } = await call("POST", "/repos/bob/trap/pulls", bob, body);
    expect([status, json.allow_maintainer_edit]).toEqual([201, false]);
    const let1 = await call("PATCH", `/repos/bob/trap/pulls/${json.number}`, bob, {
      allow_maintainer_edit: true,
    });
    expect(let1.status).toBe(403);
    const { copy } = await cloneOf("alice/victim", bob, "release");
    expect((await copy.try("push", "origin", "HEAD:release")).stderr).toMatch(refused403);
    // Once it was theirs to give away: not after they lost it.
    await call("PUT", `${base}/collaborators/bob`, world.alice, { permission: "write" });
    const given = { ...body, base: "release" };
    await call("POST", "/repos/bob/trap/branches", bob, { new_branch_name: "release" });
    const second = await call("POST", "/repos/bob/trap/pulls", bob, given);
    expect([second.status, second.json.allow_maintainer_edit]).toEqual([201, true]);
    await call("DELETE", `${base}/collaborators/bob`, world.alice);
    const late = await copy.try("push", "origin", "HEAD:release");
    expect(late.stderr).toContain("may no longer push here");
  });

  it("the fork's rules hold: a protected head takes pushes of those alone who may write there, an archive none", async () => {
    const { fork } = await requested("ruled");
    const { copy } = await cloneOf("bob/ruled", world.alice);
    await call("POST", `${fork}/branch_protections`, bob, { rule_name: "work", enable_push: true });
    expect((await copy.try("push", "origin", "work")).stderr).toContain("protected by the rule work");
    await call("PATCH", `${fork}/branch_protections/work`, bob, {
      enable_push_whitelist: true,
      push_whitelist_usernames: ["bob"],
    });
    expect((await copy.try("push", "origin", "work")).stderr).toContain("protected by the rule work");
    await call("DELETE", `${fork}/branch_protections/work`, bob);
    expect((await copy.try("push", "-q", "origin", "work")).code).toBe(0);
    await call("PATCH", fork, bob, { archived: true });
    await copy.commit({ b: "b" });
    expect((await copy.try("push", "origin", "work")).stderr).toMatch(refused403);
  });
});

describe("allow_maintainer_edit: rights are judged at the moment of the commit", () => {
  it.each([
    ["the request is closed", "PATCH", "pull", { state: "closed" }],
    ["the permission is withdrawn", "PATCH", "pull", { allow_maintainer_edit: false }],
    ["the pusher loses their rights at the base", "DELETE", "collaborator", undefined],
  ] as const)("refused when %s between judgement and transaction", async (title, method, what, body) => {
    const name = `late-${title.length}`;
    const { base, fork, pull, tip } = await requested(name);
    await call("PUT", `${base}/collaborators/carol`, world.alice, { permission: "write" });
    const paths = { pull, collaborator: `${base}/collaborators/carol` };
    const { json } = await call("GET", fork, bob);
    const repository = (await world.api.forge.table.get<Repository>(repositoryKey(json.id))) as Repository;
    const push = async (old: string, meanwhile: () => Promise<unknown>) => {
      const { id, pack } = makeCommit({ parents: [old] });
      const changes = [{ name: "refs/heads/work", old, new: id }];
      const forge = withMeanwhile(world.api.forge, meanwhile);
      const outcome = await pushToRepository(forge, repository, { user: carol.user }, { changes, pack });
      if (outcome.kind !== "done") throw new Error(outcome.kind);
      return { id, refusals: outcome.results.map(({ refusal }) => refusal) };
    };
    const commented = () => call("POST", `${pull.replace("pulls", "issues")}/comments`, bob, { body: "hm" });
    const landed = await push(tip, commented);
    expect(landed.refusals).toEqual([undefined]);
    const as = what === "pull" ? bob : world.alice;
    const late = await push(landed.id, () => call(method, paths[what], as, body));
    expect(late.refusals).toEqual(["you may no longer push here"]);
  });
});
