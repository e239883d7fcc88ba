import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { type ServedGit, serveGit } from "#tests/api/repository/serve-git";
import { git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import { type ReleaseWorld, startReleases } from "./world.ts";

/** For the file that calls it: a repository with releases for each test, and a clone of it. */
export function taggedReleases() {
  const served = {} as ServedGit;
  const at = {} as { world: ReleaseWorld; folder: string };

  beforeAll(async () => {
    at.world = await startReleases();
    Object.assign(served, await serveGit(at.world.api));
  });
  beforeEach(async () => {
    await at.world.begin();
    at.folder = await temporaryFolder();
    await git(at.folder, ["clone", "-q", served.url(`olga/${at.world.name}`, at.world.owner), "."]);
  });
  afterAll(async () => {
    await served.stop();
    await at.world.api.stop();
  });

  const push = (...refs: string[]) => git(at.folder, ["push", "-q", "-f", "origin", ...refs]);
  const commit = async (message: string) => {
    await git(at.folder, ["commit", "-q", "--allow-empty", "-m", message]);
    return gitText(at.folder, ["rev-parse", "HEAD"]);
  };
  const shown = async (id: number, as = at.world.owner) =>
    (await at.world.call("GET", `releases/${id}`, undefined, as)).json;
  const expectWhole = async () => expect(await checkRepository(at.world.api.forge, at.world.id)).toEqual([]);

  return { at, push, commit, shown, expectWhole };
}
