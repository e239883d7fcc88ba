import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPlans } from "#core/actions/schedule/plans";
import { checkRepository } from "#core/lifecycle/check/check";
import { startDuePushMirrors } from "#core/push-mirror/start";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { webhookWorker } from "#functions/workers/webhooks";
import { finishEvents } from "#tests/api/repository/furnish";
import { addCommits, listening, realRemote, refsOf } from "#tests/git/client/remotes";
import { git, gitText } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { whileWorking, workOnMirrors } from "#tests/support/mirror-work";
import { type Receiver, startReceiver } from "#tests/support/servers/receiver";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let receiver: Receiver;
let made = 0;

beforeAll(async () => {
  api = await makeApi({
    settings: { MIGRATION_ALLOWED_HOST_LIST: "loopback", WEBHOOK_ALLOWED_HOST_LIST: "loopback" },
  });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await api.stop();
});

const workflow = "on: push\njobs:\n  a:\n    runs-on: docker\n    steps: [{run: 'true'}]\n";
const scheduled = workflow.replace("on: push", "on:\n  push:\n  schedule:\n    - cron: '*/5 * * * *'");

/** A commit of the real git on a branch of the source, with files. */
async function commit(folder: string, branch: string, files: Record<string, string>, message: string) {
  const from = await gitText(folder, ["rev-parse", "-q", "--verify", branch]).catch(() => undefined);
  const start = from === undefined ? "" : `from ${from}\n`;
  const changes = Object.entries(files).map(
    ([name, text]) => `M 100644 inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  );
  const head = `commit refs/heads/${branch}\ncommitter Bob <bob@example.org> 1800000000 +0000\n`;
  await git(
    folder,
    ["fast-import", "--quiet"],
    `${head}data ${Buffer.byteLength(message)}\n${message}\n${start}${changes.join("")}`,
  );
  return gitText(folder, ["rev-parse", branch]);
}

/** Alice's mirror of a repository with two branches and a tag. */
async function makeMirror(url?: string) {
  const remote = await realRemote("sha1");
  await commit(remote.folder, "main", { "a.txt": "a\n" }, "first");
  await git(remote.folder, ["branch", "topic", "main"]);
  await git(remote.folder, ["tag", "v1", "main"]);
  const body = { clone_addr: url ?? remote.url, repo_name: `mirror-${made++}`, mirror: true };
  const { status, json } = await whileWorking(api, api.call("POST", "/repos/migrate", { as: alice, body }));
  expect(status).toBe(201);
  await follow();
  return { id: json.id as number, name: json.name as string, path: `/repos/${json.full_name}`, ...remote };
}
type Mirror = Awaited<ReturnType<typeof makeMirror>>;

/** Lets everything follow that is queued. */
async function follow(): Promise<void> {
  await finishEvents(api);
  for (;;) {
    const { done, failed } = await api.queues.drain("webhooks", (event) => webhookWorker(api.forge, event));
    if (done + failed === 0) return;
  }
}

async function sync({ path }: Mirror): Promise<void> {
  const { status } = await whileWorking(api, api.call("POST", `${path}/mirror-sync`, { as: alice }));
  expect(status).toBe(200);
  await follow();
}

/** Something of the mirror that must succeed. */
async function json(method: string, mirror: Mirror, rest: string, body?: object) {
  const answer = await api.call(method, `${mirror.path}${rest}`, { as: alice, ...(body && { body }) });
  expect(answer.status, `${method} ${rest}: ${answer.text}`).toBeLessThan(300);
  return answer.json;
}

async function hear(mirror: Mirror, path: string) {
  const config = { url: `${receiver.url}${path}`, content_type: "json" };
  return json("POST", mirror, "/hooks", {
    ...{ type: "gitea", active: true, config },
    events: ["push", "create", "delete"],
  });
}
const heard = (path: string) =>
  receiver.requests
    .filter((one) => one.path === `/${path}`)
    .map(({ headers, body }) => {
      const { ref, pusher, sender, commits } = JSON.parse(body);
      const who = pusher?.login ?? sender?.login;
      return `${headers["x-gitea-event"]} ${ref} ${who} ${commits?.length ?? "-"}`;
    })
    .sort();

describe("what a sync brings", () => {
  it("is told as pushes of the mirror's user, each ref that came and went once (semantics §27.4)", async () => {
    const mirror = await makeMirror();
    await hear(mirror, "told");
    await commit(mirror.folder, "main", { b: "1" }, "second");
    await commit(mirror.folder, "main", { b: "2" }, "third");
    await git(mirror.folder, ["branch", "new", "main"]);
    await git(mirror.folder, ["branch", "-D", "topic"]);
    await git(mirror.folder, ["tag", "v2", "main"]);
    await git(mirror.folder, ["tag", "-d", "v1"]);
    await sync(mirror);
    const events = heard("told");
    expect(events.filter((one) => /^(create|delete) /.test(one))).toEqual([
      "create new alice -",
      "create v2 alice -",
      "delete topic alice -",
      "delete v1 alice -",
    ]);
    expect(events.filter((one) => one.startsWith("push refs/heads/main"))).toEqual([
      "push refs/heads/main alice 2",
    ]);
    expect(events).toContain("push refs/tags/v2 alice 0");
    const before = events.length;
    await sync(mirror); // nothing new
    expect(heard("told").length).toBe(before);
  });

  it("lands whatever the protection of its branches says, is counted, updates the mirror's time, and closes no issue, as in the family", async () => {
    const mirror = await makeMirror();
    await json("POST", mirror, "/branch_protections", { rule_name: "main", enable_push: false });
    await json("POST", mirror, "/issues", { title: "to close" });
    const before = await json("GET", mirror, "");
    api.clock.advance(5_000);
    const tip = await commit(mirror.folder, "main", { b: "1" }, "work\n\nfixes #1");
    await sync(mirror);
    expect((await json("GET", mirror, "/branches/main")).commit.id).toBe(tip);
    expect((await json("GET", mirror, "/issues/1")).state).toBe("open");
    const after = await json("GET", mirror, "");
    expect(after.mirror_updated > before.mirror_updated).toBe(true);
    const commits = await api.call("GET", `${mirror.path}/commits?limit=1`, { as: alice });
    expect(commits.headers.get("x-total-count")).toBe("2");
    expect(await checkRepository(api.forge, mirror.id)).toEqual([]);
  });

  it("merges requests whose heads came to their base, and moves those whose branch moved (semantics §22.5)", async () => {
    const mirror = await makeMirror();
    await json("PATCH", mirror, "", { autodetect_manual_merge: true });
    await commit(mirror.folder, "topic", { b: "1" }, "on topic");
    await sync(mirror);
    await json("POST", mirror, "/pulls", { title: "topic", head: "topic", base: "main" });
    const head = await commit(mirror.folder, "topic", { b: "2" }, "more on topic");
    await sync(mirror);
    expect(await json("GET", mirror, "/pulls/1")).toMatchObject({ state: "open", head: { sha: head } });
    await git(mirror.folder, ["update-ref", "refs/heads/main", "topic"]);
    await sync(mirror);
    expect(await json("GET", mirror, "/pulls/1")).toMatchObject({ state: "closed", merged: true });
    expect(await checkRepository(api.forge, mirror.id)).toEqual([]);
  });

  it("starts workflows of its pushes, and plans schedules of its default branch (semantics §11)", async () => {
    const mirror = await makeMirror();
    await json("PATCH", mirror, "", { has_actions: true });
    await commit(mirror.folder, "main", { ".forgejo/workflows/ci.yml": scheduled }, "work");
    await sync(mirror);
    const { workflow_runs: runs } = await json("GET", mirror, "/actions/runs");
    expect(runs.map(({ event, head_branch }: Record<string, string>) => [event, head_branch])).toEqual([
      ["push", "main"],
    ]);
    const { plans } = await readPlans(api.forge, mirror.id);
    expect(plans?.specs.map(({ cron }) => cron)).toEqual(["*/5 * * * *"]);
  });

  it("goes on to copies elsewhere that ask for each push (semantics §8.2)", async () => {
    const mirror = await makeMirror();
    const copy = await realRemote("sha1");
    await json("POST", mirror, "/push_mirrors", {
      ...{ remote_address: copy.url, interval: "0", sync_on_commit: true },
    });
    await addCommits(mirror.folder, "main", 1);
    await sync(mirror);
    await workOnMirrors(api);
    expect(await refsOf(copy.folder)).toEqual(await refsOf(mirror.folder));
  });
});

it("a mirror of a mirror of this service follows it", async () => {
  const first = await makeMirror();
  const app = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
  const url = await listening(createServer(getRequestListener(app.fetch)));
  const second = await makeMirror(`${url}/alice/${first.name}.git`);
  await addCommits(first.folder, "main", 2);
  await git(first.folder, ["branch", "-D", "topic"]);
  await sync(first);
  await sync(second);
  const names = async (mirror: Mirror) =>
    (await json("GET", mirror, "/branches")).map((one: { name: string; commit: { id: string } }) => [
      one.name,
      one.commit.id,
    ]);
  expect(await names(second)).toEqual(await names(first));
  expect(await names(second)).toHaveLength(1);
  expect(await checkRepository(api.forge, second.id)).toEqual([]);
});

it("two ticks at once run a push mirror once", async () => {
  const mirror = await makeMirror();
  const copy = await realRemote("sha1");
  let posts = 0;
  copy.server.prependListener("request", ({ method }) => {
    posts += method === "POST" ? 1 : 0;
  });
  await json("POST", mirror, "/push_mirrors", { remote_address: copy.url, interval: "8h" });
  await Promise.all([startDuePushMirrors(api.forge), startDuePushMirrors(api.forge)]);
  await workOnMirrors(api);
  expect([posts, await refsOf(copy.folder)]).toEqual([1, await refsOf(mirror.folder)]);
  expect(await checkRepository(api.forge, mirror.id)).toEqual([]);
});

it("a delivery that is on its way when its hook is removed reaches nobody, and the mirror's push stands", async () => {
  const mirror = await makeMirror();
  const { id } = await hear(mirror, "never");
  await addCommits(mirror.folder, "main", 1);
  expect(
    (await whileWorking(api, api.call("POST", `${mirror.path}/mirror-sync`, { as: alice }))).status,
  ).toBe(200);
  await finishEvents(api); // the deliveries are queued
  await json("DELETE", mirror, `/hooks/${id}`);
  await follow();
  expect(heard("never")).toEqual([]);
  expect(await api.queues.takeDead("webhooks")).toEqual([]);
});

it("a private mirror is hidden: 404 to syncs and push mirrors of who may not see it (D-HIDDEN)", async () => {
  const mirror = await makeMirror();
  await json("PATCH", mirror, "", { private: true });
  for (const rest of ["/mirror-sync", "/push_mirrors-sync"]) {
    const answer = await api.call("POST", `${mirror.path}${rest}`, { as: bob });
    expect([rest, answer.status]).toEqual([rest, 404]);
  }
  expect((await api.call("GET", `${mirror.path}/push_mirrors`, { as: bob })).status).toBe(404);
});
