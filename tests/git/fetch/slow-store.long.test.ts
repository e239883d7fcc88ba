import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { startGitServer } from "#tests/git/http/git-server";
import { heldBlobs } from "#tests/git/http/held-blobs";
import { Folders, git, tryGit, WorkingCopy } from "#tests/git/http/real-git";
import { type Edge, startEdge } from "#tests/support/edge/edge";

// The server's own keep-alives, and a front that waits less than any that is known. The store takes longer than that.
const storeMs = 6_500;
const frontMs = 6_000;

/** Clone, push and fetch by git through a front that cuts silent answers, over a store that is slower than it waits. */
describe(`a store that takes ${storeMs} ms behind a front that waits ${frontMs} ms`, () => {
  const folders = new Folders();
  afterAll(() => folders.remove());

  // Side by side, since they wait nearly all the time; each has a server of its own, whose requests it counts.
  it.concurrent.for(["0", "2"] as const)(
    "push, clone, fetch and lazy fetch succeed, protocol %s",
    async (version, { onTestFinished }) => {
      const slow = await startSlowServer();
      onTestFinished(slow.stop);
      const option = ["-c", `protocol.version=${version}`];
      const { url } = await slow.server.create(`slow-${version}`);
      const behind = `${slow.edge.url}${new URL(url).pathname}`;
      const work = await WorkingCopy.init(folders);
      await work.commit({ "a.txt": "a\n", "noise.txt": randomBytes(20_000).toString("hex") });
      await work.git(...option, "push", "-q", behind, "main");
      const heldByPush = slow.held();
      expect(heldByPush).toBeGreaterThan(0);
      processPackCaches.clear();
      const folder = await folders.make();
      await git(folder, [...option, "clone", "-q", behind, "copy"]);
      const copy = join(folder, "copy");
      expect(slow.held()).toBeGreaterThan(heldByPush);
      await work.commit({ "a.txt": "b\n" });
      await work.git(...option, "push", "-q", behind, "main");
      processPackCaches.clear();
      await git(copy, [...option, "pull", "-q"]);
      expect(await git(copy, ["rev-parse", "HEAD"])).toBe(await work.git("rev-parse", "HEAD"));
      await git(copy, ["fsck", "--full", "--strict"]);
      const partial = ["clone", "-q", "--filter=blob:none", "--depth=1", behind, "partial"];
      await git(folder, [...option, ...partial]);
      expect((await tryGit(join(folder, "partial"), ["show", "HEAD:a.txt"])).stdout).toBe("b\n");
    },
  );
});

/** A server over a store that holds up every request, behind a front; tells how many were held up. */
async function startSlowServer() {
  let held = 0;
  const hold = async () => {
    held += 1;
    await delay(storeMs);
  };
  const server = await startGitServer({ wrapBlobs: (blobs) => heldBlobs(blobs, hold) });
  const api = () => {
    throw new Error("the API was asked");
  };
  const edge: Edge = await startEdge({ api, git: server.url, gitIdleTimeoutMs: frontMs });
  const stop = async () => {
    await edge.stop();
    await server.stop();
  };
  return { server, edge, held: () => held, stop };
}
