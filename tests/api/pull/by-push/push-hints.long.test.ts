import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { Folders, git, WorkingCopy } from "../../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../../repository/serve-git.ts";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

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

async function cloneOf(path: string, as: Caller): Promise<WorkingCopy> {
  const folder = await folders.make();
  await git(folder, ["clone", "-q", served.url(path, as), "copy"]);
  return new WorkingCopy(`${folder}/copy`);
}

/** Pushes; the lines that the server says to it, without empty ones. */
async function toldBy(copy: WorkingCopy, ...refs: string[]): Promise<string[]> {
  const { code, stderr } = await copy.try("push", "-q", "origin", ...refs);
  if (code !== 0) throw new Error(stderr);
  const lines = stderr.split("\n").map((line) => /^remote: +(\S.*?) *$/.exec(line)?.[1]);
  return lines.filter((line) => line !== undefined);
}

const page = (path: string) => `${world.api.forge.config.rootUrl}/${path}`;
const repository = (name: string, as: Caller, body: object) => world.api.call("PATCH", name, { as, body });

describe("what git prints after a push of a branch", () => {
  it("a bounded number of them, however many branches are pushed", async () => {
    await world.makeRepository("many");
    const copy = await cloneOf("alice/many", world.alice);
    const refs = Array.from({ length: 12 }, (_, at) => `HEAD:refs/heads/b${at}`);
    expect(await toldBy(copy, ...refs)).toHaveLength(10);
  });

  it("nothing of a repository that the pusher may not see, and nothing where there are no pull requests", async () => {
    const path = await world.makeRepository("veiled");
    await world.api.call("POST", `${path}/forks`, { as: bob, body: {} });
    const copy = await cloneOf("bob/veiled", bob);
    await copy.commit({ b: "b" });
    await copy.git("push", "-q", "origin", "HEAD:work");
    await world.open(path, "bob:work", "main", bob);
    await repository(path, world.alice, { private: true });
    await copy.commit({ c: "c" });
    const told = await toldBy(copy, "HEAD:work");
    expect(told).toEqual(["To open a pull request from 'work':", page("bob/veiled/compare/main...work")]);
    await repository("/repos/bob/veiled", bob, { has_pull_requests: false });
    await copy.commit({ d: "d" });
    expect(await toldBy(copy, "HEAD:work")).toEqual([]);
    await repository(path, world.alice, { private: false, has_pull_requests: false });
    await copy.commit({ e: "e" });
    expect(await toldBy(copy, "HEAD:work")).toEqual([]);
  });
});
