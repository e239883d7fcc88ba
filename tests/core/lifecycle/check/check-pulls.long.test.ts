import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commitPush } from "#core/git/store/push/commit-push";
import { rewriteIssue } from "#core/issue/change/change";
import { type Issue, issueKey } from "#core/issue/issue.table";
import { checkRepository } from "#core/lifecycle/check/check";
import { mergedHeadKey } from "#core/pull/head/merged-head";
import {
  fromKey,
  mergedPullKey,
  openPullRows,
  type PullRequest,
  pairKey,
  pullHeadRef,
} from "#core/pull/pull.table";
import { put, remove } from "#core/table/write";
import { commitOn, makeBase, openPull } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { findAndMend, together, type Violation } from "./make.ts";

let api: TestApi;
let baseId: number;
let forkId: number;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  const admin = await api.makeUser({ name: "root", isAdmin: true });
  const alice = await api.makeUser({ name: "alice" });
  const bob = await api.makeUser({ name: "bob" });
  const base = await makeBase(api, alice, "base");
  await commitOn(api, base, "own", "c", { as: alice });
  const fork = await forkOf(base, bob);
  [baseId, forkId] = [await idOf(base, alice), await idOf(fork, bob)];
  await commitOn(api, fork, "topic", "a", { as: bob });
  await openPull(api, base, { as: bob, head: "bob:topic" }); // 1
  const hide = { visibility: "private", source_id: 0, login_name: "bob" };
  await api.call("PATCH", "/admin/users/bob", { as: admin, body: hide });
  await commitOn(api, fork, "hidden", "b", { as: bob });
  await openPull(api, base, { as: bob, head: "bob:hidden" }); // 2
  await openPull(api, base, { as: alice, head: "own" }); // 3
  await api.call("PATCH", `${base}/pulls/3`, { as: alice, body: { state: "closed" } });
});
afterAll(() => api.stop());

async function forkOf(base: string, as: Caller): Promise<string> {
  const { json } = await api.call("POST", `${base}/forks`, { as, body: {} });
  return `/repos/${json.full_name}`;
}
const idOf = async (path: string, as: Caller): Promise<number> =>
  (await api.call("GET", path, { as })).json.id;
const pullOf = async (number: number) =>
  (await api.forge.table.get<Issue>(issueKey(baseId, number))) as PullRequest;
const forge = () => api.forge;

/** Moves a ref behind everybody's back. */
const moveRef = async (change: { name: string; old?: string; new?: string }) => {
  const outcome = await commitPush(forge(), baseId, { changes: [change], pusherId: 1, source: "create" });
  expect(outcome).toMatchObject({ kind: "done", results: [{}] });
};

const merge = { commitId: "ab".repeat(20), mergerId: 1, at: 1_700_000_000 };

const ofBase: Violation[] = [
  {
    what: "an open request whose pair nobody guards",
    isAlone: true,
    invariants: [15],
    plant: async () => forge().table.write(remove(pairKey(baseId, (await pullOf(1)).pull))),
  },
  {
    what: "an open request that its head does not know of",
    isAlone: true,
    invariants: [15],
    plant: async () => {
      const { number, pull } = await pullOf(1);
      await forge().table.write(remove(fromKey({ ...pull, repositoryId: baseId, number })));
    },
  },
  {
    what: "rows of a closed request",
    isAlone: true,
    invariants: [15],
    plant: async () => {
      for (const row of openPullRows(await pullOf(3))) await forge().table.write(put(row));
    },
  },
  {
    what: "a request whose head no ref names",
    isAlone: true,
    invariants: [15],
    plant: async () => moveRef({ name: pullHeadRef(2), old: (await pullOf(2)).pull.headId }),
  },
  {
    what: "a ref of a request that is not there",
    isAlone: true,
    invariants: [15],
    plant: async () => moveRef({ name: pullHeadRef(9), new: (await pullOf(1)).pull.headId }),
  },
  {
    what: "a merged request that its commit does not name",
    isAlone: true,
    invariants: [15],
    plant: async () => {
      const pull = await pullOf(3);
      await forge().table.transact(rewriteIssue(pull, { pull: { ...pull.pull, merge } }));
    },
  },
  {
    what: "commits and branches that name a request as merged which is not",
    isAlone: true,
    invariants: [15],
    plant: async () => {
      await forge().table.write(put({ ...mergedPullKey(baseId, "cd".repeat(20)), number: 1, _v: 1 }));
      await forge().table.write(put({ ...mergedHeadKey(baseId, "x"), number: 1, base: "main", _v: 1 }));
    },
  },
];

describe("checkRepository", () => {
  it("finds nothing where requests are open, closed, and of hidden heads", async () => {
    expect([
      ...(await checkRepository(forge(), baseId)),
      ...(await checkRepository(forge(), forkId)),
    ]).toEqual([]);
  });

  it.each(together(ofBase))("finds and mends %s", async (_what, violation) => {
    await findAndMend(forge(), baseId, violation);
  });

  it("finds and mends, in the repository of a head, a row that names a closed request", async () => {
    const plant = async () => {
      const pull = await pullOf(3);
      const row = { ...pull.pull, headRepositoryId: forkId, repositoryId: baseId, number: 3 };
      const { base, head } = pull.pull;
      const item = { repositoryId: baseId, number: 3, base, head, headRepositoryId: forkId, _v: 1 };
      await forge().table.write(put({ ...fromKey(row), ...item }));
    };
    await findAndMend(forge(), forkId, { what: "", plant, invariants: [15] });
  });

  it("leaves a head to people whose commit is nowhere", async () => {
    const plant = async () => {
      const pull = await pullOf(2);
      await forge().table.transact(rewriteIssue(pull, { pull: { ...pull.pull, headId: "ef".repeat(20) } }));
    };
    await findAndMend(forge(), baseId, { what: "", plant, invariants: [15], isLeft: true });
  });
});
