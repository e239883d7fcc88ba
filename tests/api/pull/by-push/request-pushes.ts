import { afterAll, beforeAll, expect } from "vitest";
import { lazy } from "#core/lazy";
import { checkRepository } from "#core/lifecycle/check/check";
import type { Caller } from "#tests/support/api";
import { Folders, git, WorkingCopy } from "../../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../../repository/serve-git.ts";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

/** For the file that calls it: repositories of alice's that are pushed to by git; they are checked in the end. */
export function requestPushes() {
  const world = {} as PullWorld;
  const served = {} as ServedGit;
  const bob = {} as Caller;
  const admin = {} as Caller;
  const folders = new Folders();
  /** Repositories that are checked in the end (invariant 15). */
  const ids: number[] = [];

  beforeAll(async () => {
    Object.assign(world, await makePullWorld());
    Object.assign(served, await serveGit(world.api));
    Object.assign(bob, await world.api.makeUser({ name: "bob" }));
    Object.assign(admin, await world.api.makeUser({ name: "root", isAdmin: true }));
  });
  afterAll(async () => {
    const findings = await Promise.all(ids.map((id) => checkRepository(world.api.forge, id)));
    expect(findings.flat()).toEqual([]);
    await served.stop();
    await folders.remove();
    await world.api.stop();
  });

  /** A repository of alice's, and a clone of it. */
  async function shared(name: string, more: object = {}) {
    const path = await world.makeRepository(name, more);
    ids.push((await get(path)).id);
    return { path, url: served.url(`alice/${name}`, world.alice), own: await cloneOf(name, world.alice) };
  }

  async function cloneOf(name: string, as: Caller): Promise<WorkingCopy> {
    const folder = await folders.make();
    await git(folder, ["clone", "-q", served.url(`alice/${name}`, as), "copy"]);
    return new WorkingCopy(`${folder}/copy`);
  }

  const letBobWrite = (path: string) => send("PUT", `${path}/collaborators/bob`, { permission: "write" });
  const push = (copy: WorkingCopy, ...args: string[]) => copy.try("push", "origin", ...args);
  const get = async (path: string, as = world.alice) => (await world.api.call("GET", path, { as })).json;
  const send = (method: string, path: string, body: object, as = world.alice) =>
    world.api.call(method, path, { as, body });
  const titles = async (path: string) =>
    (await get(`${path}/pulls?state=open`)).map(({ title }: { title: string }) => title).sort();
  /** A repository that has no requests, with a commit that nobody pushed. */
  const unused = lazy(async () => {
    const found = await shared("unused");
    await found.own.commit({ a: "a" });
    return found;
  });

  /** What hooks and workers hear of. */
  const events = async () =>
    (await world.api.queues.take("repository-events"))
      .map((message) => [message.kind, message.action].filter((word) => word !== undefined).join(" "))
      .sort();
  const page = (path: string) => `${world.api.forge.config.rootUrl}/${path}`;

  return {
    world,
    letBobWrite,
    served,
    bob,
    admin,
    shared,
    cloneOf,
    push,
    get,
    send,
    titles,
    unused,
    events,
    page,
  };
}
