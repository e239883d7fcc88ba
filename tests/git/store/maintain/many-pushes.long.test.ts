import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { extendGraph } from "#core/git/store/commit-graph/extend-graph";
import { consolidationBounds } from "#core/git/store/maintain/plan-consolidation";
import { packGraceMs } from "#core/git/store/maintain/sweep-packs";
import { compactRefs } from "#core/git/store/refs/compaction";
import { writeRandomHistory } from "#tests/git/history/select/random-history";
import { bareRepository } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";
import { type GitServer, startGitServer } from "../../http/git-server.ts";
import { cloneAndCheck, Folders, git, remoteRefs } from "../../http/real-git.ts";
import { Pushed } from "./consolidated.ts";

let server: GitServer;
const folders = new Folders();
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(async () => {
  await server.stop();
  await folders.remove();
});

const listRefs = async (folder: string) =>
  (await git(folder, ["for-each-ref", "--format=%(objectname) %(refname)"])).split("\n");
const objectList = async (folder: string) =>
  (await git(folder, ["rev-list", "--objects", "--all", "--no-object-names"])).split("\n").sort();

/** Everything that the worker does after pushes, to its end. */
async function maintain(pushed: Pushed): Promise<number> {
  let consolidations = 0;
  while ((await pushed.consolidate(consolidationBounds)) === "consolidated") consolidations += 1;
  await compactRefs(server.forge, pushed.id);
  await extendGraph(server.forge, { repositoryId: pushed.id });
  return consolidations;
}

describe.each<[number, ObjectFormat]>([
  [300, "sha1"],
  [150, "sha256"],
])("%i pushes by git, with all that follows them (%s)", (pushes, format) => {
  const random = createRandom();

  it(`lose nothing: few packs are left, and old and new clones are equal to the source (SEED=${random.seed})`, async () => {
    const source = await bareRepository(format);
    await writeRandomHistory(source, random, pushes, { format, isWild: true });
    const { id, url } = await server.create(`many-pushes-${format}`, { format });
    const pushed = new Pushed(server, id, format);
    const clients: string[] = [];
    let maintaining = Promise.resolve(0);
    let consolidations = 0;
    for (let number = 1; number <= pushes; number += 1) {
      const moving = `+refs/heads/c${number}:refs/heads/moving${random.integer(4)}`;
      const kept = `refs/heads/c${number}`;
      const both = random.chance(0.5) ? [moving] : [moving, kept];
      await git(source, ["-c", `protocol.version=${random.pick(["0", "2"])}`, "push", "-q", url, ...both]);
      if (number % 10 > 0) continue;
      // While the next ten come.
      consolidations += await maintaining;
      maintaining = maintain(pushed);
      if (number === 10) clients.push(await cloneAndCheck(folders, url));
      if (number % 50 > 0) continue;
      for (const client of clients) {
        await git(client, ["fetch", "-q", "--prune"]);
        expect(await listRefs(client)).toEqual(await remoteRefs(url));
        await git(client, ["fsck", "--full", "--strict"]);
      }
      server.clock.advance(packGraceMs + 1);
      await pushed.sweep();
    }
    consolidations += await maintaining;
    expect(consolidations).toBeGreaterThan(pushes / 60);
    await git(source, ["push", "-q", "--mirror", url]);
    await maintain(pushed);
    expect((await pushed.named()).length).toBeLessThan(2 * consolidationBounds.leastPacks);
    for (let round = 0; round < 2; round += 1) {
      server.clock.advance(packGraceMs + 1);
      await pushed.sweep();
    }
    expect(await pushed.stored()).toEqual(await pushed.named());
    for (const client of [...clients, await cloneAndCheck(folders, url)]) {
      await git(client, ["fetch", "-q", "--prune"]);
      expect(await listRefs(client)).toEqual(await listRefs(source));
      expect(await objectList(client)).toEqual(await objectList(source));
      await git(client, ["fsck", "--full", "--strict"]);
    }
  });
});
