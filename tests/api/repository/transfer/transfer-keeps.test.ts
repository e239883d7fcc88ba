import { describe, expect, it } from "vitest";
import type { JsonValue } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { makeKeyLine } from "#tests/support/keys";
import { join, makeOrganization, makeRepository, makeTeam } from "../../organization/make.ts";
import { alice, api, bob, boss, make, transfer, useTransfers } from "./transfer-keeps-world.ts";

useTransfers();

describe("repoTransfer", () => {
  it("202: keeps hooks, deploy keys, stars, labels, milestones and protections (semantics §24.6)", async () => {
    const base = "/repos/alice/laden";
    await make("POST", "/user/repos", alice, { name: "laden", auto_init: true });
    const config = { url: "https://ci.example/", content_type: "json" };
    await make("POST", `${base}/hooks`, alice, { type: "gitea", config, active: true });
    await make("POST", `${base}/keys`, alice, { title: "k", key: makeKeyLine(), read_only: true });
    const label = await make("POST", `${base}/labels`, alice, { name: "bug", color: "aabbcc" });
    const milestone = await make("POST", `${base}/milestones`, alice, { title: "soon" });
    const issue = { title: "one", labels: [label.id], milestone: milestone.id };
    await make("POST", `${base}/issues`, alice, issue);
    await make("POST", `${base}/branch_protections`, alice, { rule_name: "main", required_approvals: 2 });
    const rule = { name_pattern: "v*", whitelist_usernames: ["alice"] };
    await make("POST", `${base}/tag_protections`, alice, rule);
    await make("PUT", "/user/starred/alice/laden", boss);
    const parts = ["hooks", "labels", "milestones", "branch_protections", "tag_protections", "stargazers"];
    const shown = async (owner: string) => {
      const lists = [...parts, "keys", "issues"].map((part) =>
        make("GET", `/repos/${owner}/laden/${part}`, boss),
      );
      const text = JSON.stringify(await Promise.all(lists)).replaceAll(`/${owner}/laden`, "/it");
      return JSON.parse(text.replaceAll(`"owner":"${owner}"`, `"owner":"it"`)) as JsonValue[];
    };
    const before = await shown("alice");
    expect(before.map((list) => list.length)).toEqual(Array(8).fill(1));
    expect(await transfer("alice/laden", boss, "bob")).toBe(202);
    await finishJobs(api);
    const untimed = (lists: JsonValue[]) => lists.slice(0, 7).map(([one]) => ({ ...one, repository: null }));
    const after = await shown("bob");
    expect(untimed(after)).toEqual(untimed(before));
    expect(after[7][0]).toMatchObject({
      title: "one",
      labels: [{ id: label.id }],
      milestone: { id: milestone.id, open_issues: 1 },
    });
    expect((await make("GET", "/repos/bob/laden", bob)).stars_count).toBe(1);
    expect(await make("GET", "/users/boss/starred", boss)).toMatchObject([{ full_name: "bob/laden" }]);
  });

  it("403: to a user who blocks the caller, whoever owns the repository; 201 once they don't any more", async () => {
    await make("POST", "/user/repos", alice, { name: "unwanted" });
    await make("PUT", "/user/block/alice", bob);
    expect(await transfer("alice/unwanted", alice, "bob")).toBe(403);
    await make("PUT", "/user/unblock/alice", bob);
    expect(await transfer("alice/unwanted", alice, "bob")).toBe(201);
  });

  it("202: by a member of a team with admin rights, who counts as an owner (semantics §3.3); 403: by one who may write", async () => {
    await makeOrganization(api, alice, "yard");
    await makeRepository(api, alice, "yard", "gate");
    const [keeper, writer] = [await api.makeUser(), await api.makeUser()];
    for (const [permission, who] of [["admin", keeper] as const, ["write", writer] as const]) {
      const more = { permission, includes_all_repositories: true, units: ["repo.code"] };
      await join(api, alice, await makeTeam(api, alice, "yard", permission, more), who);
    }
    expect((await make("GET", "/repos/yard/gate", writer)).permissions.push).toBe(true);
    expect(await transfer("yard/gate", writer, writer.name)).toBe(403);
    expect(await transfer("yard/gate", keeper, keeper.name)).toBe(202);
    expect((await make("GET", `/repos/${keeper.name}/gate`, keeper)).permissions.admin).toBe(true);
  });
});
