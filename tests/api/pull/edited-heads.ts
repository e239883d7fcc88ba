import { afterAll, beforeAll } from "vitest";
import type { Caller } from "#tests/support/api";
import { Folders, git, WorkingCopy } from "../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../repository/serve-git.ts";
import { makePullWorld, type PullWorld } from "./pull-world.ts";

/** For the file that calls it: requests from forks of bob's into repositories of alice's. */
export function editedHeads() {
  const world = {} as PullWorld;
  const served = {} as ServedGit;
  const bob = {} as Caller;
  const carol = {} as Caller;
  const folders = new Folders();

  beforeAll(async () => {
    Object.assign(world, await makePullWorld());
    Object.assign(served, await serveGit(world.api));
    Object.assign(bob, await world.api.makeUser({ name: "bob" }));
    Object.assign(carol, await world.api.makeUser({ name: "carol" }));
  });
  afterAll(async () => {
    await served.stop();
    await folders.remove();
    await world.api.stop();
  });

  const call = (method: string, path: string, as: Caller, body?: object) =>
    world.api.call(method, path, { as, ...(body && { body }) });

  /** A request into alice's repository from bob's fork, which lets maintainers edit its branch `work`. */
  async function requested(name: string, isLetting = true) {
    const base = await world.makeRepository(name);
    await call("POST", `${base}/forks`, bob, {});
    const fork = `/repos/bob/${name}`;
    const tip = await world.commitOn(fork, "work", "main", bob);
    await world.commitOn(fork, "other", "main", bob);
    const body = { title: "T", head: "bob:work", base: "main", allow_maintainer_edit: isLetting };
    const { json } = await call("POST", `${base}/pulls`, bob, body);
    return { base, fork, tip, pull: `${base}/pulls/${json.number}`, number: json.number as number };
  }

  /** A clone by somebody, with a new commit on a branch. */
  async function cloneOf(
    path: string,
    as: Caller,
    branch = "work",
  ): Promise<{ copy: WorkingCopy; id: string }> {
    const folder = await folders.make();
    await git(folder, ["clone", "-q", "-b", branch, served.url(path, as), "copy"]);
    const copy = new WorkingCopy(`${folder}/copy`);
    return { copy, id: await copy.commit({ "more.txt": path }) };
  }

  const refused403 = /error: 403/;
  const guest = /rejected\].*only to branches whose pull requests let maintainers edit them/g;

  return { world, served, bob, carol, call, requested, cloneOf, refused403, guest };
}
