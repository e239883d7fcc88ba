import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { finishJobs } from "#tests/support/jobs";
import { cloneAndCheck, Folders, git, remoteRefs, tryGit, WorkingCopy } from "../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../repository/serve-git.ts";
import { makePullWorld, type PullWorld } from "./pull-world.ts";

let world: PullWorld;
let served: ServedGit;
const folders = new Folders();

beforeAll(async () => {
  world = await makePullWorld();
  served = await serveGit(world.api);
});
afterAll(async () => {
  await served.stop();
  await folders.remove();
  await world.api.stop();
});

const pullRefs = async (url: string) =>
  (await remoteRefs(url)).filter((line) => line.includes(" refs/pull/"));

/** Alice's repository with a request from `topic`; its path, address and the request's number and head. */
async function requested(name: string, more: object = {}) {
  const repository = await world.makeRepository(name, more);
  const head = await world.commitOn(repository, "topic");
  const number = await world.open(repository, "topic", "main");
  return { repository, head, number, url: served.url(`alice/${name}`, world.alice) };
}

describe.each(["sha1", "sha256"])("refs/pull/<number>/head with git (semantics §21), %s", (format) => {
  it("is shown, fetched, follows a push at once, and stays when the branch goes and the request is closed", async () => {
    const { head, number, url } = await requested(`shown-${format}`, { object_format_name: format });
    expect(await pullRefs(url)).toEqual([`${head} refs/pull/${number}/head`]);
    const folder = await folders.make();
    await git(folder, ["clone", "-q", "-b", "topic", url, "copy"]);
    const copy = new WorkingCopy(`${folder}/copy`);
    await copy.git("fetch", "-q", "origin", `pull/${number}/head`);
    expect(await copy.git("rev-parse", "FETCH_HEAD")).toBe(head);
    const next = await copy.commit({ "more.txt": "more" });
    await copy.git("push", "-q", "origin", "HEAD:topic");
    expect(await pullRefs(url)).toEqual([`${next} refs/pull/${number}/head`]);
    await copy.git("push", "-q", "origin", ":topic");
    await copy.git("fetch", "-q", "origin", `pull/${number}/head:again`);
    expect(await copy.git("rev-parse", "again")).toBe(next);
  });

  it("takes no push and no deletion, with the reason; other refs of the push land (D-REFUSE)", async () => {
    const { head, number, url } = await requested(`kept-${format}`, { object_format_name: format });
    const copy = await WorkingCopy.init(folders, format as "sha1");
    await copy.commit({ a: "a" });
    const ref = `refs/pull/${number}/head`;
    const refused = [`+HEAD:${ref}`, "HEAD:refs/pull/99/head", "HEAD:refs/pull/99/merge"];
    const pushed = await copy.try("push", url, "HEAD:refs/heads/other", ...refused);
    const reasons = /rejected\].*refs\/pull\/ is kept by the service/g;
    expect([pushed.code, pushed.stderr.match(reasons)?.length]).toEqual([1, 3]);
    const deleted = await copy.try("push", url, `:${ref}`);
    expect([deleted.code, deleted.stderr.match(reasons)?.length]).toEqual([1, 1]);
    const names = (await remoteRefs(url)).map((line) => line.split(" ")[1]);
    expect(names).toEqual(["refs/heads/main", "refs/heads/other", "refs/heads/topic", ref]);
    expect(await pullRefs(url)).toEqual([`${head} ${ref}`]);
  });
});

describe("git clone --mirror and git push --mirror", () => {
  it("carry the refs of requests; what a mirror may not write is refused, and everything else lands", async () => {
    const { repository, head, number, url } = await requested("mirrored");
    const copy = await cloneAndCheck(folders, url);
    expect(await git(copy, ["rev-parse", `refs/pull/${number}/head`])).toBe(head);
    await git(copy, ["push", "-q", "--mirror", url]);
    await world.commitOn(repository, "second");
    const second = await world.open(repository, "second", "main");
    const late = await tryGit(copy, ["push", "--mirror", url]);
    expect(late.stderr).toMatch(new RegExp(`rejected\\] +refs/pull/${second}/head.*kept by the service`));
    expect((await pullRefs(url)).length).toBe(2);
    await world.makeRepository("target", { auto_init: false });
    const target = served.url("alice/target", world.alice);
    expect((await tryGit(copy, ["push", "--mirror", target])).code).toBe(1);
    expect((await remoteRefs(target)).map((line) => line.split(" ")[1])).toEqual([
      "refs/heads/main",
      "refs/heads/topic",
    ]);
  });
});

describe("what else becomes of refs/pull", () => {
  it("a fork has none; a request from it shows at the base, with all that its head leads to", async () => {
    const { repository, url, number } = await requested("forked");
    const bob = await world.api.makeUser({ name: "bob" });
    await world.api.call("POST", `${repository}/forks`, { as: bob, body: {} });
    const fork = served.url("bob/forked", bob);
    expect(await pullRefs(fork)).toEqual([]);
    const folder = await folders.make();
    await git(folder, ["clone", "-q", fork, "copy"]);
    const copy = new WorkingCopy(`${folder}/copy`);
    const head = await copy.commit({ "bobs.txt": "bob" });
    await copy.git("push", "-q", "origin", "HEAD:work");
    const own = await world.open(repository, "bob:work", "main", bob);
    const next = await copy.commit({ "bobs.txt": "bob again" });
    await copy.git("push", "-q", "origin", "HEAD:work");
    expect(next).not.toBe(head);
    expect((await pullRefs(url)).map((line) => line.split(" ")[1])).toEqual([
      `refs/pull/${number}/head`,
      `refs/pull/${own}/head`,
    ]);
    const mirror = await cloneAndCheck(folders, url);
    expect(await git(mirror, ["rev-parse", `refs/pull/${own}/head`])).toBe(next);
    expect(await pullRefs(fork)).toEqual([]);
  });

  it("the ref of a deleted request goes, and its commits can't be asked for any more", async () => {
    const { repository, head, number, url } = await requested("deleted");
    await world.removeBranch(repository, "topic");
    await world.api.call("DELETE", `${repository}/issues/${number}`, { as: world.alice });
    await finishJobs(world.api);
    expect(await pullRefs(url)).toEqual([]);
    const copy = await WorkingCopy.init(folders);
    expect((await copy.try("fetch", url, head)).stderr).toContain("not our ref");
  });
});
