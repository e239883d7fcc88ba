import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeFiles } from "#core/code/change-files";
import { defined } from "#core/defined";
import { pushToRepository } from "#core/repository/push";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { pushToWiki, withWiki } from "#core/wiki/store";
import { makeOrganization } from "#tests/api/organization/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { withMeanwhile } from "#tests/support/race/meanwhile";
import { makeCommit } from "./commits.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let made = 0;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await makeOrganization(api, alice, "acme");
});
afterAll(() => api.stop());

const call = async (method: string, path: string, body?: object) => {
  const answer = await api.call(method, path, { as: alice, ...defined({ body }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
};

/** A repository of Alice's with a commit on main, which Bob may write. */
async function makeShared(): Promise<{ repository: Repository; path: string; tip: string }> {
  made += 1;
  const id = await makeRepository(api, alice, `r${made}`);
  const tip = await pushFiles(api, alice, `r${made}`, { files: { f: "1" } });
  const path = `/repos/alice/r${made}`;
  await call("PUT", `${path}/collaborators/bob`, { permission: "write" });
  return { repository: await stored(id), path, tip };
}

async function stored(id: number): Promise<Repository> {
  const found = await api.forge.table.get<Repository>(repositoryKey(id));
  if (found === undefined) throw new Error(`no repository ${id}`);
  return found;
}

/** The result of a push of a new commit by Bob to a branch and a tag while something happens: why each was refused. */
async function pushBy(
  who: Caller,
  { repository, tip }: { repository: Repository; tip: string },
  meanwhile: () => Promise<unknown>,
): Promise<(string | undefined)[]> {
  const { id, pack } = makeCommit({ parents: [tip] });
  const changes = [
    { name: "refs/heads/main", old: tip, new: id },
    { name: "refs/tags/v1", new: id },
  ];
  const forge = withMeanwhile(api.forge, meanwhile);
  const outcome = await pushToRepository(forge, repository, { user: who.user }, { changes, pack });
  if (outcome.kind !== "done") throw new Error(outcome.kind);
  return outcome.results.map(({ refusal }) => refusal);
}

describe("a push that was judged", () => {
  it("lands when nothing happens that bears on it", async () => {
    const shared = await makeShared();
    const landed = await pushBy(bob, shared, () => call("PATCH", shared.path, { description: "words" }));
    expect(landed).toEqual([undefined, undefined]);
  });

  it("is judged again when a rule is made, edited or put into order before it lands", async () => {
    const guarded = [expect.stringContaining("you may not push to it"), undefined];
    const fresh = await makeShared();
    const rules = `${fresh.path}/branch_protections`;
    expect(await pushBy(bob, fresh, () => call("POST", rules, { rule_name: "main" }))).toEqual(guarded);
    const edited = await makeShared();
    const own = `${edited.path}/branch_protections`;
    await call("POST", own, { rule_name: "m*", enable_push: true });
    const { id } = await call("POST", own, { rule_name: "*", enable_push: false });
    const ordering = () => call("POST", `${own}/priority`, { ids: [id] });
    expect(await pushBy(bob, edited, ordering)).toEqual(guarded);
    await call("PATCH", `${own}/*`, { enable_push: true });
    const closing = () => call("PATCH", `${own}/*`, { enable_push: false });
    const { json } = await api.call("GET", `${edited.path}/tags/v1`, { as: alice });
    await call("DELETE", `${edited.path}/tags/${json.name}`);
    expect(await pushBy(bob, edited, closing)).toEqual(guarded);
  });

  it("is judged again when a rule goes: what it refused may land", async () => {
    const shared = await makeShared();
    const rules = `${shared.path}/branch_protections`;
    await call("POST", rules, { rule_name: "main" });
    const landed = await pushBy(bob, shared, () => call("DELETE", `${rules}/main`));
    expect(landed).toEqual([undefined, undefined]);
  });

  it("is judged again when a rule on tags is made before it lands", async () => {
    const shared = await makeShared();
    const rule = { name_pattern: "v*", whitelist_usernames: ["alice"] };
    const refusals = await pushBy(bob, shared, () => call("POST", `${shared.path}/tag_protections`, rule));
    expect(refusals).toEqual([undefined, expect.stringContaining("protected by the rule v*")]);
  });

  it("is refused when its author is no collaborator any more, or a reader, or the repository an archive", async () => {
    for (const [meanwhile, words] of [
      [(path: string) => call("DELETE", `${path}/collaborators/bob`), "may no longer push here"],
      [
        (path: string) => call("PUT", `${path}/collaborators/bob`, { permission: "read" }),
        "may no longer push",
      ],
      [(path: string) => call("PATCH", path, { archived: true }), "archived"],
    ] as const) {
      const shared = await makeShared();
      const refusals = await pushBy(bob, shared, () => meanwhile(shared.path));
      expect(refusals).toEqual([expect.stringContaining(words), expect.stringContaining(words)]);
    }
  });

  it("is refused when its author leaves the team, or the team its rights", async () => {
    const lost = expect.stringContaining("may no longer push here");
    for (const isLeaving of [true, false]) {
      made += 1;
      const { id } = await call("POST", "/orgs/acme/repos", { name: `r${made}` });
      const units_map = { "repo.code": "write" };
      const given = { name: `t${made}`, permission: "write", includes_all_repositories: true, units_map };
      const team = await call("POST", "/orgs/acme/teams", given);
      await call("PUT", `/teams/${team.id}/members/bob`);
      const { id: tip, pack } = makeCommit();
      const repository = await stored(id);
      const first = { changes: [{ name: "refs/heads/main", new: tip }], pack };
      await pushToRepository(api.forge, repository, { user: bob.user }, first);
      const refusals = await pushBy(bob, { repository, tip }, () =>
        isLeaving
          ? call("DELETE", `/teams/${team.id}/members/bob`)
          : call("PATCH", `/teams/${team.id}`, { name: `t${made}`, units_map: { "repo.code": "read" } }),
      );
      expect(refusals).toEqual([lost, lost]);
    }
  });
});

describe("a commit through the API that was judged", () => {
  it("is refused when a rule is made before it lands, of the new commit and of the branch", async () => {
    const { repository, path } = await makeShared();
    const forge = withMeanwhile(api.forge, () =>
      call("POST", `${path}/branch_protections`, { rule_name: "main" }),
    );
    const file = { operation: "create", path: "g", content: Buffer.from("2") } as const;
    const writing = changeFiles(forge, repository, { user: bob.user }, { files: [file] });
    await expect(writing).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("a change of a wiki that was judged", () => {
  it("is refused when the repository becomes an archive before it lands", async () => {
    const { repository, path } = await makeShared();
    const wiki = await withWiki(api.forge, repository);
    const { id, pack } = makeCommit();
    const changes = [{ name: "refs/heads/main", new: id }];
    const forge = withMeanwhile(api.forge, () => call("PATCH", path, { archived: true }));
    const writing = pushToWiki(forge, wiki, { user: bob.user }, { changes, pack });
    await expect(writing).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("archived"),
    });
  });
});
