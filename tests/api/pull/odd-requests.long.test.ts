import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "#functions/api/app";
import { type ServedGit, serveGit } from "#tests/api/repository/serve-git";
import { Folders, git, WorkingCopy } from "#tests/git/http/real-git";
import type { Caller } from "#tests/support/api";
import { checkContract } from "#tests/support/contract/contract";
import { measured } from "#tests/support/measured";
import { withMeanwhile } from "#tests/support/race/meanwhile";
import { openPull } from "./make.ts";
import { makePullWorld, type PullWorld } from "./pull-world.ts";

let world: PullWorld;
let served: ServedGit;
let alice: Caller;
const folders = new Folders();

beforeAll(async () => {
  world = await makePullWorld({ WORK_IN_PROGRESS_PREFIXES: "Entwurf:, [wait]" });
  alice = world.alice;
  served = await serveGit(world.api);
});
afterAll(async () => {
  await served.stop();
  await folders.remove();
  await world.api.stop();
});

const call = (method: string, path: string, body?: object, as = alice) =>
  world.api.call(method, path, { as, ...(body && { body }) });

describe("a request between branches without a common commit", () => {
  it("is opened and shown with all that the head has; 405 or 409 for its merge in every style, and the base stays", async () => {
    const repository = await world.makeRepository("strangers");
    const folder = await folders.make();
    await git(folder, ["clone", "-q", served.url("alice/strangers", alice), "copy"]);
    const copy = new WorkingCopy(`${folder}/copy`);
    await copy.git("checkout", "-q", "--orphan", "topic");
    await copy.git("rm", "-rfq", ".");
    const sha = await copy.commit({ "alone.txt": "alone\n" });
    await copy.git("push", "-q", "origin", "HEAD:topic");
    const { number } = await openPull(world.api, repository, { as: alice });
    const { json } = await call("GET", `${repository}/pulls/${number}`);
    expect(json).toMatchObject({ mergeable: false, head: { sha } });
    const commits = await call("GET", `${repository}/pulls/${number}/commits`);
    expect(commits.json.map((one: { sha: string }) => one.sha)).toEqual([sha]);
    for (const path of ["files", "commits"])
      expect((await call("GET", `${repository}/pulls/${number}/${path}`)).status).toBe(200);
    for (const type of ["diff", "patch"])
      expect((await call("GET", `${repository}/pulls/${number}.${type}`)).text).toContain("alone.txt");
    for (const Do of ["merge", "squash", "rebase", "rebase-merge", "fast-forward-only"]) {
      const { status } = await call("POST", `${repository}/pulls/${number}/merge`, { Do });
      expect([405, 409]).toContain(status);
    }
    expect((await call("POST", `${repository}/pulls/${number}/update`)).status).toBe(409);
    expect(await world.show(repository, number)).toMatchObject({ state: "open", sha });
    expect((await call("GET", `${repository}/branches/main`)).json.commit.id).toBe(json.base.sha);
  });
});

describe("a base that is deleted while a merge is made", () => {
  it.each(["merge", "rebase", "fast-forward-only"])(
    "%s: refused, nothing is merged, and the request is closed",
    async (Do) => {
      const repository = await world.makeRepository(`baseless-${Do}`);
      await call("POST", `${repository}/branches`, { new_branch_name: "next", old_branch_name: "main" });
      await world.commitOn(repository, "topic");
      const number = await world.open(repository, "topic", "next");
      const removes = () => world.removeBranch(repository, "next");
      const app = createApi({ forge: withMeanwhile(world.api.forge, removes), observe: checkContract });
      const headers = { authorization: `token ${alice.token}`, "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify({ Do }) };
      const path = `/api/v1${repository}/pulls/${number}/merge`;
      const { status } = await app.request(path, init, { clientAddress: "192.0.2.1" });
      expect([404, 405]).toContain(status);
      await world.runEvents();
      const { json } = await call("GET", `${repository}/pulls/${number}`);
      expect(json).toMatchObject({ state: "closed", merged: false });
      expect((await call("GET", `${repository}/branches/next`)).status).toBe(404);
    },
  );
});

describe("repoCreatePullRequest", () => {
  it("404 for a head in a repository that is no fork: of the other object format, or of the same", async () => {
    const repository = await world.makeRepository("origin");
    for (const object_format_name of ["sha1", "sha256"]) {
      await world.makeRepository(`other-${object_format_name}`, { object_format_name });
      const body = { title: "T", head: `alice/other-${object_format_name}:main`, base: "main" };
      expect((await call("POST", `${repository}/pulls`, body)).status).toBe(404);
    }
  });

  it("201 from a fork whose objects are shared: none is written anew (decision 7)", async () => {
    const bob = await world.api.makeUser({ name: "bob" });
    const repository = await world.makeRepository("lent");
    await call("POST", `${repository}/forks`, {}, bob);
    await world.commitOn("/repos/bob/lent", "topic", "main", bob);
    const opening = () => openPull(world.api, repository, { as: bob, head: "bob:topic" });
    const { usage } = await measured(opening);
    expect(usage.blobWrites).toBe(0);
  });

  it("201: titles are drafts by the prefixes of WORK_IN_PROGRESS_PREFIXES, in any case", async () => {
    const repository = await world.makeRepository("drafts");
    await world.commitOn(repository, "topic");
    const { number, draft } = await openPull(world.api, repository, { as: alice, title: "ENTWURF: it" });
    expect(draft).toBe(true);
    const merge = () => call("POST", `${repository}/pulls/${number}/merge`, { Do: "merge" });
    expect((await merge()).status).toBe(405);
    for (const [title, isDraft] of [
      ["[Wait] it", true],
      ["WIP: it", false],
    ]) {
      const { json } = await call("PATCH", `${repository}/pulls/${number}`, { title });
      expect(json.draft).toBe(isDraft);
    }
    expect((await merge()).status).toBe(200);
  });
});
