import { afterAll, beforeAll } from "vitest";
import type { Caller } from "#tests/support/api";
import { Folders, git, WorkingCopy } from "../../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../../repository/serve-git.ts";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

/** For the file that calls it: repositories of alice, bob beside her, and pushes by git that tell what it prints. */
export function hintedPushes() {
  const world = {} as PullWorld;
  const bob = {} as Caller;
  const folders = new Folders();
  let served: ServedGit;

  beforeAll(async () => {
    Object.assign(world, await makePullWorld());
    Object.assign(bob, await world.api.makeUser({ name: "bob" }));
    served = await serveGit(world.api);
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
  return { world, bob, cloneOf, toldBy, page };
}
