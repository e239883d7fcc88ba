import { afterAll, beforeAll } from "vitest";
import { pullsPartition } from "#core/pull/pull.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { commitOn, makeBase, openPull } from "./make.ts";

/** For the file that calls it: requests from forks into repositories of alice's. */
export function forkedPulls() {
  const api = {} as TestApi;
  const admin = {} as Caller;
  const alice = {} as Caller;
  const bob = {} as Caller;
  beforeAll(async () => {
    Object.assign(api, await makeApi());
    Object.assign(admin, await api.makeUser({ name: "root", isAdmin: true }));
    Object.assign(alice, await api.makeUser({ name: "alice" }));
    Object.assign(bob, await api.makeUser({ name: "bob" }));
  });
  afterAll(() => api.stop());

  const get = (path: string, as = alice) => api.call("GET", path, { as });
  const idOf = async (path: string, as = alice): Promise<number> => (await get(path, as)).json.id;
  const rowsOf = async (id: number) =>
    (await api.forge.table.queryAll({ pk: pullsPartition(id) })).map(({ sk }) => sk.split("#")[0]);

  /** Alice's repository with a request (1) from bob's fork; the paths of both. */
  async function makeForked(name: string, as = bob) {
    const base = await makeBase(api, alice, name);
    const { json } = await api.call("POST", `${base}/forks`, { as, body: {} });
    const fork = `/repos/${json.full_name}`;
    await commitOn(api, fork, "topic", "a", { as });
    const pull = await openPull(api, base, { as, head: `${as.name}:topic` });
    return { base, fork, pull, baseId: await idOf(base), forkId: json.id as number };
  }

  const headless = { ref: "refs/pull/1/head", repo_id: -1, repo: null, label: "topic" };

  return { api, admin, alice, bob, get, idOf, rowsOf, makeForked, headless };
}
