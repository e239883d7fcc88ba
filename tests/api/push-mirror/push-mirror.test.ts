import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { startDuePushMirrors, startPushMirrors } from "#core/push-mirror/start";
import { refsOf } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import { type Caller, makeApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { workOnMirrors } from "#tests/support/mirror-work";
import { pushedMirrors } from "./pushed-mirrors.ts";

const { api, alice, bob, makePair, makeKept, add, run, list, namesAt } = pushedMirrors();

describe("repoAddPushMirror", () => {
  it("200: shows neither name nor password (semantics §8.4-1)", async () => {
    const pair = await makeKept();
    const address = pair.remote.url.replace("http://", "http://someone:s3cret@");
    const { status, json } = await add(pair, { remote_address: address });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ...{ repo_name: pair.name, remote_address: pair.remote.url, interval: "8h0m0s", last_update: null },
      ...{ last_error: "", sync_on_commit: false, branch_filter: "", public_key: "" },
    });
    expect(json.remote_name).toMatch(/^remote_mirror_\w{10}$/);
    expect(await list(pair)).toEqual([json]);
    expect(
      (await api.call("GET", `${pair.path}/push_mirrors/${json.remote_name}`, { as: alice })).json,
    ).toEqual(json);
    const items = await api.forge.table.queryAll({ pk: `R#${pair.id}` });
    expect(JSON.stringify(items)).not.toContain("s3cret");
  });

  it("400: intervals, addresses, filters and ssh that can't be; 401: an address that may not be reached (semantics §8.4-2)", async () => {
    const pair = await makeKept();
    for (const body of [
      { interval: "5m" },
      { interval: "" },
      { interval: "often" },
      { remote_address: "ssh://a@b/c" },
      { remote_address: "" },
      { use_ssh: true },
      { use_ssh: true, remote_username: "a" },
      { branch_filter: "[" },
    ]) {
      expect([body, (await add(pair, body)).status]).toEqual([body, 400]);
    }
    expect((await add(pair, { remote_address: "http://10.0.0.1/a.git" })).status).toBe(401);
    expect(await list(pair)).toEqual([]);
  });

  it("403: a writer, for whom the mirrors are not there to see either (semantics §8.4-7); 400: more than twenty", async () => {
    const pair = await makeKept();
    await api.call("PUT", `${pair.path}/collaborators/bob`, { as: alice, body: { permission: "write" } });
    expect((await add(pair, {}, bob)).status).toBe(403);
    expect((await api.call("GET", `${pair.path}/push_mirrors`, { as: bob })).status).toBe(403);
    for (let count = 0; count < 20; count += 1) expect((await add(pair, { interval: "0" })).status).toBe(200);
    expect((await add(pair)).status).toBe(400);
  });
});

describe("each operation on push mirrors", () => {
  it("401: nobody; 403: a writer; 404: whom the repository is hidden from, as one that is not there (D-HIDDEN)", async () => {
    const pair = await makeKept();
    const { json } = await add(pair);
    const carol = await api.makeUser({ name: "carol" });
    await api.call("PUT", `${pair.path}/collaborators/bob`, { as: alice, body: { permission: "write" } });
    const body = { remote_address: pair.remote.url, interval: "8h" };
    const calls = [
      ["GET", "/push_mirrors"],
      ["POST", "/push_mirrors", { body }],
      ["GET", `/push_mirrors/${json.remote_name}`],
      ["DELETE", `/push_mirrors/${json.remote_name}`],
      ["POST", "/push_mirrors-sync"],
    ] as const;
    const answers = async (by: Caller | undefined, path = pair.path) =>
      Promise.all(
        calls.map(async ([method, rest, options = {}]) => {
          return (await api.call(method, `${path}${rest}`, { as: by, ...options })).status;
        }),
      );
    const all = (status: number) => calls.map(() => status);
    expect([await answers(undefined), await answers(bob)]).toEqual([all(401), all(403)]);
    await api.call("PATCH", pair.path, { as: alice, body: { private: true } });
    expect([await answers(carol), await answers(undefined)]).toEqual([all(404), all(404)]);
    expect(await answers(carol, "/repos/alice/nothing")).toEqual(all(404));
    expect(await list(pair)).toEqual([json]);
  });

  it("423: an archived repository's are shown, and neither added, removed nor run", async () => {
    const pair = await makeKept();
    const { json } = await add(pair);
    await api.call("PATCH", pair.path, { as: alice, body: { archived: true } });
    const one = `${pair.path}/push_mirrors/${json.remote_name}`;
    expect((await api.call("GET", one, { as: alice })).json).toEqual(json);
    expect((await api.call("DELETE", one, { as: alice })).status).toBe(423);
    expect([(await add(pair)).status, (await run(pair)).status]).toEqual([423, 423]);
    expect(await list(pair)).toEqual([json]);
  });

  it("400: mirrors are switched off here", async () => {
    const other = await makeApi({ settings: { DISABLE_MIRRORS: "true" } });
    try {
      const dora = await other.makeUser({ name: "dora" });
      await makeRepository(other, dora, "r");
      const body = { remote_address: "https://example.com/a/b.git", interval: "8h" };
      const path = "/repos/dora/r/push_mirrors";
      expect((await other.call("POST", path, { as: dora, body })).status).toBe(400);
      expect((await other.call("GET", path, { as: dora })).status).toBe(400);
      expect((await other.call("POST", `${path}-sync`, { as: dora })).status).toBe(400);
    } finally {
      await other.stop();
    }
  });
});

describe("repoListPushMirrors", () => {
  it("200: all rows unless a page is asked for, the oldest first (D-PAGING)", async () => {
    const pair = await makeKept();
    const names: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      names.push((await add(pair)).json.remote_name);
      api.clock.advance(1_000);
    }
    expect((await list(pair)).map((one: { remote_name: string }) => one.remote_name)).toEqual(names);
    const page = await api.call("GET", `${pair.path}/push_mirrors?limit=1&page=2`, { as: alice });
    expect([page.json.length, page.json[0].remote_name]).toEqual([1, names[1]]);
    expect(page.headers.get("x-total-count")).toBe("3");
  });
});

describe("repoGetPushMirrorByRemoteName", () => {
  it("404: none of this name, and names that are none", async () => {
    const { path } = await makeKept();
    for (const name of ["remote_mirror_none", "a%2Fb", "%00", "x".repeat(200)]) {
      expect([name, (await api.call("GET", `${path}/push_mirrors/${name}`, { as: alice })).status]).toEqual([
        name,
        404,
      ]);
    }
  });
});

describe("repoPushMirrorSync", () => {
  it.each(["sha1", "sha256"] as const)(
    "200: the copy becomes like the repository, whatever it had: %s",
    async (format) => {
      const pair = await makePair(format);
      await add(pair, { interval: "0" });
      expect((await run(pair)).status).toBe(200);
      expect(await namesAt(pair)).toEqual(["refs/heads/main", "refs/heads/topic/a"]);
      await git(pair.remote.folder, ["update-ref", "refs/heads/theirs", "main"]);
      await git(pair.remote.folder, ["update-ref", "refs/heads/main", "topic/a"]);
      await pushFiles(api, alice, pair.name, { files: { f: "2\n" } });
      await run(pair);
      const { json: branch } = await api.call("GET", `${pair.path}/branches/main`, { as: alice });
      expect(await refsOf(pair.remote.folder)).toContain(`${branch.commit.id} refs/heads/main`);
      expect(await namesAt(pair)).toEqual(["refs/heads/main", "refs/heads/topic/a"]);
      const [mirror] = await list(pair);
      expect([mirror.last_error, mirror.last_update]).toEqual(["", expect.any(String)]);
      expect(await checkRepository(api.forge, pair.id)).toEqual([]);
    },
  );

  it("200: a filter chooses branches, and leaves the others of the copy alone", async () => {
    const pair = await makePair();
    await add(pair, { branch_filter: "topic/*, release-*" });
    await run(pair);
    expect(await namesAt(pair)).toEqual(["refs/heads/topic/a"]);
    await git(pair.remote.folder, ["update-ref", "refs/heads/theirs", "topic/a"]);
    await git(pair.remote.folder, ["update-ref", "refs/heads/topic/gone", "topic/a"]);
    await run(pair);
    expect(await namesAt(pair)).toEqual(["refs/heads/theirs", "refs/heads/topic/a"]);
  });

  it("200: what the remote does wrong stands in last_error, without the password (semantics §8.4-5)", async () => {
    const pair = await makePair();
    await add(pair, { remote_username: "someone", remote_password: "s3cret" });
    pair.remote.server.closeAllConnections();
    pair.remote.server.close();
    await once(pair.remote.server, "close");
    expect((await run(pair)).status).toBe(200);
    const [mirror] = await list(pair);
    expect(mirror.last_error).not.toBe("");
    expect(mirror.last_error).not.toContain("s3cret");
    expect(mirror.last_update).not.toBe(null);
  });

  it("423: an archived repository; 403: a writer (semantics §8.4-6)", async () => {
    const pair = await makeKept();
    await add(pair);
    expect((await run(pair, bob)).status).toBe(403);
    await api.call("PATCH", pair.path, { as: alice, body: { archived: true } });
    expect((await run(pair)).status).toBe(423);
    expect((await add(pair)).status).toBe(423);
  });
});

describe("repoDeletePushMirror", () => {
  it("204: also for a name that there is not; a run under way leaves nothing behind (semantics §8.4-8)", async () => {
    const pair = await makePair();
    const { json } = await add(pair);
    expect(
      (await api.call("DELETE", `${pair.path}/push_mirrors/${json.remote_name}`, { as: alice })).status,
    ).toBe(204);
    expect(
      (await api.call("GET", `${pair.path}/push_mirrors/${json.remote_name}`, { as: alice })).status,
    ).toBe(404);
    expect(
      (await api.call("DELETE", `${pair.path}/push_mirrors/remote_mirror_none`, { as: alice })).status,
    ).toBe(204);
    await startDuePushMirrors(api.forge);
    await workOnMirrors(api);
    expect(await list(pair)).toEqual([]);
  });
});

describe("the minute", () => {
  it("runs a mirror at its time, skips archived repositories, and goes on once they are not (B-07, semantics §8.4-3)", async () => {
    const pair = await makePair();
    await add(pair, { interval: "10m" });
    const minute = async (minutes: number) => {
      api.clock.advance(minutes * 60_000);
      await startDuePushMirrors(api.forge);
      await workOnMirrors(api);
    };
    await minute(0);
    const [{ last_update: first }] = await list(pair);
    expect(first).not.toBe(null);
    await api.call("PATCH", pair.path, { as: alice, body: { archived: true } });
    await minute(11);
    expect((await list(pair))[0].last_update).toBe(first);
    await api.call("PATCH", pair.path, { as: alice, body: { archived: false } });
    await minute(11);
    expect((await list(pair))[0].last_update > first).toBe(true);
    expect(await checkRepository(api.forge, pair.id)).toEqual([]);
  });
});

describe("sync_on_commit", () => {
  it("a push starts a run; one that comes while a run is under way is not forgotten (semantics §8.4-4)", async () => {
    const pair = await makePair();
    await add(pair, { interval: "0", sync_on_commit: true });
    await startPushMirrors(api.forge, pair.id);
    await workOnMirrors(api);
    expect(await namesAt(pair)).toEqual(["refs/heads/main", "refs/heads/topic/a"]);

    // The remote holds a run up until the next push is through.
    let isPushed = false;
    const listeners = pair.remote.server.listeners("request") as ((...of: unknown[]) => void)[];
    pair.remote.server.removeAllListeners("request");
    pair.remote.server.on("request", (...request: unknown[]) => {
      const pass = () => {
        for (const listener of listeners) listener(...request);
      };
      if (isPushed) return pass();
      isPushed = true;
      pushFiles(api, alice, pair.name, { files: { h: "1\n" }, branch: "later", from: "main" })
        .then(() => startPushMirrors(api.forge, pair.id))
        .then(pass, pass);
    });
    await pushFiles(api, alice, pair.name, { files: { f: "3\n" } });
    await startPushMirrors(api.forge, pair.id);
    await workOnMirrors(api);
    api.clock.advance(60_000);
    await startDuePushMirrors(api.forge);
    await workOnMirrors(api);
    expect(await namesAt(pair)).toContain("refs/heads/later");
  });
});
