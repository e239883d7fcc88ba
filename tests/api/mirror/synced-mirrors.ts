import { afterAll, beforeAll, expect } from "vitest";
import { openRepository } from "#core/git/store/store";
import { lazy } from "#core/lazy";
import { startDueMirrors } from "#core/mirror/due-mirrors";
import { addCommits, ourRefs, realRemote } from "#tests/git/client/remotes";
import { bareRepository, git } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { whileWorking, workOnMirrors } from "#tests/support/mirror-work";

export interface Mirror {
  readonly id: number;
  readonly path: string;
  readonly folder: string;
  readonly server: Awaited<ReturnType<typeof realRemote>>["server"];
}

/** For the file that calls it: mirrors of alice's, each with a source of its own. */
export function syncedMirrors() {
  const api = {} as TestApi;
  const alice = {} as Caller;
  const bob = {} as Caller;
  /** A repository with two branches and a tag, which the sources are copies of. */
  let model = "";
  let made = 0;

  beforeAll(async () => {
    Object.assign(api, await makeApi({ settings: { MIGRATION_ALLOWED_HOST_LIST: "loopback" } }));
    Object.assign(alice, await api.makeUser({ name: "alice" }));
    Object.assign(bob, await api.makeUser({ name: "bob" }));
    model = await bareRepository("sha1", "file");
    await addCommits(model, "main", 2);
    await addCommits(model, "topic", 1);
    await git(model, ["tag", "v1", "main"]);
  });
  afterAll(() => api.stop());

  /** Alice's mirror of a source of its own. */
  async function makeMirror(options: object = {}): Promise<Mirror> {
    const { url, folder, server } = await realRemote("sha1", { like: model });
    const body = { clone_addr: url, repo_name: `mirror-${made++}`, mirror: true, ...options };
    const { status, json } = await whileWorking(api, api.call("POST", "/repos/migrate", { as: alice, body }));
    expect(status).toBe(201);
    return { id: json.id, path: `/repos/${json.full_name}`, folder, server };
  }

  /** A mirror that no test changes. */
  const unchanged = lazy(() => makeMirror());

  const sync = ({ path }: Mirror, as: Caller = alice) =>
    whileWorking(api, api.call("POST", `${path}/mirror-sync`, { as }));
  const shown = async ({ path }: Mirror) => (await api.call("GET", path, { as: alice })).json;
  const state = async ({ path }: Mirror) => (await api.call("GET", `${path}/migration`, { as: alice })).json;
  const edit = ({ path }: Mirror, body: object, as: Caller = alice) => api.call("PATCH", path, { as, body });

  async function refsOfOurs({ id }: Mirror): Promise<string[]> {
    const opened = await openRepository(api.forge, id);
    if (opened === undefined) throw new Error("gone");
    return ourRefs(opened);
  }

  /** What the minute does, and the worker behind it. */
  async function tick(): Promise<number> {
    const started = await startDueMirrors(api.forge);
    await workOnMirrors(api);
    return started;
  }

  return { api, alice, bob, makeMirror, unchanged, sync, shown, state, edit, refsOfOurs, tick };
}
