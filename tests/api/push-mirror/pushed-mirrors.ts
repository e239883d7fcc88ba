import { afterAll, beforeAll } from "vitest";
import { realRemote, refsOf } from "#tests/git/client/remotes";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { whileWorking } from "#tests/support/mirror-work";

/** A repository whose mirrors are kept, and where they lead. */
interface Kept {
  readonly name: string;
  readonly id: number;
  readonly path: string;
  readonly remote: { readonly url: string };
}

/** One that is pushed to a remote. */
export interface Pair extends Kept {
  readonly remote: Awaited<ReturnType<typeof realRemote>>;
}

/** For the file that calls it: repositories of alice's that are pushed elsewhere. */
export function pushedMirrors() {
  const api = {} as TestApi;
  const alice = {} as Caller;
  const bob = {} as Caller;
  let made = 0;

  beforeAll(async () => {
    Object.assign(api, await makeApi({ settings: { MIGRATION_ALLOWED_HOST_LIST: "loopback" } }));
    Object.assign(alice, await api.makeUser({ name: "alice" }));
    Object.assign(bob, await api.makeUser({ name: "bob" }));
  });
  afterAll(() => api.stop());

  /** Alice's repository with two branches, and an empty one elsewhere. */
  async function makePair(object_format_name: "sha1" | "sha256" = "sha1"): Promise<Pair> {
    const name = `pushed-${made++}`;
    const id = await makeRepository(api, alice, name, { object_format_name });
    await pushFiles(api, alice, name, { files: { f: "1\n" } });
    await pushFiles(api, alice, name, { files: { g: "1\n" }, branch: "topic/a", from: "main" });
    return { name, id, path: `/repos/alice/${name}`, remote: await realRemote(object_format_name) };
  }

  /** A repository of alice's without commits, and an address that nothing answers: for what is kept, not run. */
  async function makeKept(): Promise<Kept> {
    const name = `kept-${made++}`;
    const id = await makeRepository(api, alice, name);
    return { name, id, path: `/repos/alice/${name}`, remote: { url: "http://127.0.0.1:1/remote.git" } };
  }

  const add = ({ path, remote }: Kept, body: object = {}, as: Caller = alice) =>
    api.call("POST", `${path}/push_mirrors`, {
      as,
      body: { remote_address: remote.url, interval: "8h", ...body },
    });
  const run = ({ path }: Kept, as: Caller = alice) =>
    whileWorking(api, api.call("POST", `${path}/push_mirrors-sync`, { as }));
  const list = async ({ path }: Kept) => (await api.call("GET", `${path}/push_mirrors`, { as: alice })).json;
  const namesAt = async ({ remote }: Pair) =>
    (await refsOf(remote.folder)).map((line) => line.split(" ")[1]).sort();

  return { api, alice, bob, makePair, makeKept, add, run, list, namesAt };
}
