import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { checkTable } from "#core/lifecycle/check/check";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { makeKeyLine } from "#tests/support/keys";
import { setRepository } from "#tests/support/set-listed";
import { join, makeOrganization, makeRepository, makeTeam } from "../../organization/make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
});
afterAll(() => api.stop());

async function make(method: string, path: string, as: Caller, body?: object): Promise<JsonValue> {
  const answer = await api.call(method, path, { as, ...defined({ body }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json;
}
const transfer = async (path: string, as: Caller, new_owner: string, more: object = {}) =>
  (await api.call("POST", `/repos/${path}/transfer`, { as, body: { new_owner, ...more } })).status;

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

  it("202: to 40 teams of the new owner from 20 of the former one", async () => {
    await makeOrganization(api, alice, "wide");
    const team_ids = [];
    for (let at = 0; at < 40; at += 1) team_ids.push(await makeTeam(api, alice, "wide", `team-${at}`));
    await makeOrganization(api, alice, "narrow");
    const { id } = await makeRepository(api, alice, "narrow", "road");
    const former = await makeTeam(api, alice, "narrow", "former");
    await make("PUT", `/teams/${former}/repos/narrow/road`, alice);
    // Teams that are gone stand for many that are there: they take half of the room.
    const teamIds = [...Array.from({ length: 19 }, (_, at) => 1_000_000 + at), former];
    await setRepository(api.forge, id, { teamIds });
    expect(await transfer("narrow/road", alice, "wide", { team_ids })).toBe(202);
    await finishJobs(api);
    expect((await make("GET", `/teams/${former}/repos`, alice)).length).toBe(0);
    expect(await make("GET", `/teams/${team_ids[39]}/repos`, alice)).toMatchObject([
      { full_name: "wide/road" },
    ]);
  });
});

it("after all of it the whole table holds together", async () => {
  await finishJobs(api);
  const findings = [];
  for await (const finding of checkTable(api.forge)) findings.push(finding);
  expect(findings.filter(({ invariant }) => invariant !== 20)).toEqual([]);
});
