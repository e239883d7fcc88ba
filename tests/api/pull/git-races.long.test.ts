import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { Folders, git, WorkingCopy } from "../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../repository/serve-git.ts";
import { makePullWorld, type PullWorld } from "./pull-world.ts";

let world: PullWorld;
let served: ServedGit;
let bob: Caller;
const folders = new Folders();

beforeAll(async () => {
  world = await makePullWorld();
  served = await serveGit(world.api);
  bob = await world.api.makeUser({ name: "bob" });
});
afterAll(async () => {
  await served.stop();
  await folders.remove();
  await world.api.stop();
});

const call = (method: string, path: string, body?: object) =>
  world.api.call(method, path, { as: world.alice, ...(body && { body }) });

async function cloneOf(path: string, as: Caller, branch: string): Promise<WorkingCopy> {
  const folder = await folders.make();
  await git(folder, ["clone", "-q", "-b", branch, served.url(path, as), "copy"]);
  return new WorkingCopy(`${folder}/copy`);
}

describe("dependent requests with git (B-05, semantics §6.3)", () => {
  it("5: a request from a fork into a merged branch goes into its base when git deletes the branch", async () => {
    const upstream = await world.makeRepository("upstream");
    const copy = await cloneOf("alice/upstream", world.alice, "main");
    await copy.git("checkout", "-q", "-b", "feature");
    await copy.commit({ "feature.txt": "feature" });
    await copy.git("push", "-q", "origin", "feature");
    await world.api.call("POST", `${upstream}/forks`, { as: bob, body: {} });
    const fork = await cloneOf("bob/upstream", bob, "feature");
    const head = await fork.commit({ "child.txt": "child" });
    await fork.git("push", "-q", "origin", "HEAD:child");
    const first = await world.open(upstream, "feature", "main");
    const second = await world.open(upstream, "bob:child", "feature", bob);
    expect((await call("POST", `${upstream}/pulls/${first}/merge`, { Do: "merge" })).status).toBe(200);
    expect(await world.show(upstream, second)).toMatchObject({ state: "open", base: "feature" });
    await copy.git("push", "-q", "origin", ":feature");
    expect(await world.show(upstream, second)).toMatchObject({ state: "open", base: "main", sha: head });
    await world.runEvents();
    await finishJobs(world.api);
    expect(await world.timeline(upstream, second)).toEqual(["change_target_branch feature main"]);
    expect((await call("POST", `${upstream}/pulls/${second}/merge`, { Do: "squash" })).status).toBe(200);
    await copy.git("fetch", "-q", "origin", "main");
    const files = await copy.git("ls-tree", "--name-only", "FETCH_HEAD");
    expect(files.split("\n")).toEqual(["README.md", "child.txt", "feature.txt"]);
  });
});

describe("a push by git that meets a merge", () => {
  it.each(["own", "fork"])(
    "to the head (%s): the merge has all of it or none, and says which",
    async (kind) => {
      const name = `head-${kind}`;
      const base = await world.makeRepository(name);
      if (kind === "fork") await world.api.call("POST", `${base}/forks`, { as: bob, body: {} });
      const [path, as] = kind === "fork" ? [`bob/${name}`, bob] : [`alice/${name}`, world.alice];
      await world.commitOn(`/repos/${path}`, "topic", "main", as);
      const number = await world.open(base, kind === "fork" ? "bob:topic" : "topic", "main", as);
      const copy = await cloneOf(path, as, "topic");
      const late = await copy.commit({ "late.txt": "late" });
      const [pushed, merged] = await Promise.all([
        copy.try("push", "-q", "origin", "topic"),
        call("POST", `${base}/pulls/${number}/merge`, { Do: "merge" }),
      ]);
      expect([pushed.code, merged.status]).toEqual([0, 200]);
      const { json } = await call("GET", `${base}/pulls/${number}`);
      const main = await call("GET", `${base}/contents?ref=main`);
      const hasLate = main.json.some((file: { name: string }) => file.name === "late.txt");
      expect([json.merged, json.head.sha === late]).toEqual([true, hasLate]);
      const ref = await call("GET", `${base}/git/refs/pull/${number}/head`);
      expect(ref.json[0].object.sha).toBe(json.head.sha);
    },
  );

  it("a deletion of the head: the request is merged or closed, never both, and not left open", async () => {
    const base = await world.makeRepository("deleted-head");
    const before = await world.commitOn(base, "main");
    await world.commitOn(base, "topic");
    const number = await world.open(base, "topic", "main");
    const copy = await cloneOf("alice/deleted-head", world.alice, "main");
    const [pushed, merged] = await Promise.all([
      copy.try("push", "-q", "origin", ":topic"),
      call("POST", `${base}/pulls/${number}/merge`, { Do: "merge" }),
    ]);
    expect(pushed.code).toBe(0);
    await world.runEvents();
    const { json } = await call("GET", `${base}/pulls/${number}`);
    const main = await call("GET", `${base}/branches/main`);
    const isMerged = merged.status === 200;
    expect([json.state, json.merged]).toEqual(["closed", isMerged]);
    expect(main.json.commit.id !== before).toBe(isMerged);
    expect(merged.status).toBe(isMerged ? 200 : 404);
  });

  it("another base of the request: it is merged where it then goes", async () => {
    const base = await world.makeRepository("other-base");
    await world.commitOn(base, "other");
    await world.commitOn(base, "topic");
    const number = await world.open(base, "topic", "main");
    const tips = async () =>
      Promise.all(
        ["main", "other"].map(async (one) => (await call("GET", `${base}/branches/${one}`)).json.commit.id),
      );
    const before = await tips();
    const [edited, merged] = await Promise.all([
      call("PATCH", `${base}/pulls/${number}`, { base: "other" }),
      call("POST", `${base}/pulls/${number}/merge`, { Do: "merge" }),
    ]);
    expect([201, 409, 412, 422]).toContain(edited.status);
    expect(merged.status).toBe(200);
    const { json } = await call("GET", `${base}/pulls/${number}`);
    const after = await tips();
    const moved = ["main", "other"].filter((_name, at) => before[at] !== after[at]);
    expect([json.merged, moved]).toEqual([true, [json.base.ref]]);
    expect(json.merge_commit_sha).toBe(after[moved[0] === "main" ? 0 : 1]);
  });
});
