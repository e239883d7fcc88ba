import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { openRepository } from "#core/git/store/store";
import { lazy } from "#core/lazy";
import { checkRepository } from "#core/lifecycle/check/check";
import { addCommits, ourRefs, realRemote, refsOf } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { whileWorking } from "#tests/support/mirror-work";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let admin: Caller;
let made = 0;

beforeAll(async () => {
  api = await makeApi({
    settings: { MIGRATION_ALLOWED_HOST_LIST: "loopback", MIGRATION_BLOCKED_HOST_LIST: "127.0.0.9" },
  });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  admin = await api.makeUser({ name: "root", isAdmin: true });
});
afterAll(() => api.stop());

const migrate = (body: object, as: Caller = alice) =>
  whileWorking(
    api,
    api.call("POST", "/repos/migrate", { as, body: { repo_name: `brought-${made++}`, ...body } }),
  );

/** A repository elsewhere without commits, which no test changes. */
const bare = lazy(() => realRemote("sha1"));

/** A repository elsewhere with two branches and a tag. */
async function source(format: ObjectFormat = "sha1") {
  const remote = await realRemote(format);
  await addCommits(remote.folder, "main", 3);
  await addCommits(remote.folder, "topic/one", 2);
  await git(remote.folder, ["tag", "v1", "main"]);
  return remote;
}

const refsOfOurs = async (id: number) => {
  const opened = await openRepository(api.forge, id);
  if (opened === undefined) throw new Error("gone");
  return ourRefs(opened);
};

describe("repoMigrate", () => {
  it.each(["sha1", "sha256"] as const)(
    "201: brings branches and tags of a %s repository (semantics §24.5)",
    async (format) => {
      const { url, folder } = await source(format);
      const { status, json } = await migrate({
        clone_addr: url,
        description: "from elsewhere",
        private: true,
      });
      expect([status, json.empty, json.mirror, json.private]).toEqual([201, false, false, true]);
      expect(json).toMatchObject({ default_branch: "main", object_format_name: format, original_url: url });
      expect(await refsOfOurs(json.id)).toEqual(await refsOf(folder));
      expect(await checkRepository(api.forge, json.id)).toEqual([]);
      const { json: state } = await api.call("GET", `/repos/${json.full_name}/migration`, { as: alice });
      expect(state).toMatchObject({ status: "done", source_url: url, message: "", failures: 0, objects: 0 });
      expect((await api.call("POST", `/repos/${json.full_name}/migration`, { as: alice })).status).toBe(409);
    },
  );

  it("201: HEAD names another branch than main, and a repository without commits stays empty", async () => {
    const { url, folder } = await source();
    await git(folder, ["symbolic-ref", "HEAD", "refs/heads/topic/one"]);
    expect((await migrate({ clone_addr: url })).json).toMatchObject({
      default_branch: "topic/one",
      empty: false,
    });
    const { url: without } = await bare();
    expect((await migrate({ clone_addr: without })).json).toMatchObject({
      empty: true,
      default_branch: "main",
    });
  });

  it("422: the source is no repository, asks for credentials, or is of another protocol; nothing is left", async () => {
    const { url } = await bare();
    for (const address of [
      `${url}-other`,
      "file:///etc",
      "/etc",
      "ssh://git@example.org/a",
      "git://example.org/a",
      "https://exa mple.org/a",
      "http://127.0.0.1:1/a.git\nb",
    ]) {
      const { status, json } = await migrate({ clone_addr: address, repo_name: "never" });
      expect([address, status]).toEqual([address, 422]);
      expect(json.message).not.toBe("");
    }
    expect((await api.call("GET", "/repos/alice/never", { as: alice })).status).toBe(404);
  });

  it("422: an address that may not be reached, also by a name that resolves to it (semantics §66-3)", async () => {
    for (const address of [
      "http://127.0.0.9/a.git",
      "http://10.0.0.1/a.git",
      "http://[::ffff:10.0.0.1]/a.git",
    ]) {
      const { status, json } = await migrate({ clone_addr: address });
      expect([status, json.message]).toEqual([422, expect.stringMatching(/MIGRATION_|does not permit/)]);
    }
  });

  it("403: for somebody else, or an organization that the caller does not own; 422: an unknown owner", async () => {
    const { url } = await bare();
    await api.call("POST", "/orgs", { as: alice, body: { username: "makers" } });
    expect((await migrate({ clone_addr: url, repo_owner: "alice" }, bob)).status).toBe(403);
    expect((await migrate({ clone_addr: url, uid: alice.user.id }, bob)).status).toBe(403);
    expect((await migrate({ clone_addr: url, repo_owner: "makers" }, bob)).status).toBe(403);
    expect((await migrate({ clone_addr: url, repo_owner: "nobody-here" })).status).toBe(422);
    expect((await migrate({ clone_addr: url, uid: 999_999 })).status).toBe(422);
    expect((await migrate({ clone_addr: url, repo_owner: "makers" })).json.owner.login).toBe("makers");
    expect((await migrate({ clone_addr: url, repo_owner: "bob" }, admin)).json.owner.login).toBe("bob");
  });

  it("409: a name that is taken; 422: one that can't be", async () => {
    const { url } = await bare();
    await migrate({ clone_addr: url, repo_name: "taken" });
    expect((await migrate({ clone_addr: url, repo_name: "Taken" })).status).toBe(409);
    expect((await migrate({ clone_addr: url, repo_name: "a.git" })).status).toBe(422);
  });

  it("credentials are sent to the source, and shown or stored in the clear nowhere", async () => {
    const { url, server } = await source();
    const heard: (string | undefined)[] = [];
    server.prependListener("request", ({ headers }) => heard.push(headers.authorization));
    const address = url.replace("http://", "http://someone:s3cret-in-address@");
    const { status, json } = await migrate({ clone_addr: address, mirror: true });
    expect([status, json.original_url]).toEqual([201, url]);
    expect(heard).toContain(`Basic ${Buffer.from("someone:s3cret-in-address").toString("base64")}`);
    for await (const items of api.forge.table.scan({ segment: 0, of: 1 }))
      expect(JSON.stringify(items)).not.toContain("s3cret");
    expect(JSON.stringify(api.logged)).not.toContain("s3cret");
  });
});
