import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { type GitServer, startGitServer } from "#tests/git/http/git-server";
import { heldBlobs } from "#tests/git/http/held-blobs";
import { Folders, git, tryGit, WorkingCopy } from "#tests/git/http/real-git";
import { type Edge, startEdge } from "#tests/support/edge";

/** Times of a suite, in milliseconds. The store takes longer than the front waits. */
export interface SlowTimes {
  readonly store: number;
  readonly front: number;
  /** The server's own setting when absent. */
  readonly keepAlive?: number;
  readonly versions: readonly ("0" | "2")[];
}

/** Clone, push and fetch by git through a front that cuts silent answers, over a store that is slower than it waits. */
export function testSlowStore({ store, front, keepAlive, versions }: SlowTimes): void {
  describe(`a store that takes ${store} ms behind a front that waits ${front} ms`, () => {
    const folders = new Folders();
    let server: GitServer;
    let edge: Edge;
    /** How many requests to the store were held up. */
    let held = 0;
    const hold = async () => {
      held += 1;
      await delay(store);
    };
    beforeAll(async () => {
      server = await startGitServer({
        wrapBlobs: (blobs) => heldBlobs(blobs, hold),
        ...(keepAlive !== undefined && { keepAliveMs: keepAlive }),
      });
      const api = () => {
        throw new Error("the API was asked");
      };
      edge = await startEdge({ api, git: server.url, gitIdleTimeoutMs: front });
    });
    afterAll(async () => {
      await edge.stop();
      await server.stop();
      await folders.remove();
    });

    it.each(versions)("push, clone, fetch and lazy fetch succeed, protocol %s", async (version) => {
      const option = ["-c", `protocol.version=${version}`];
      const { url } = await server.create(`slow-${version}`);
      const behind = `${edge.url}${new URL(url).pathname}`;
      const work = await WorkingCopy.init(folders);
      await work.commit({ "a.txt": "a\n", "noise.txt": randomBytes(20_000).toString("hex") });
      await work.git(...option, "push", "-q", behind, "main");
      expect(held).toBeGreaterThan(0);
      held = 0;
      processPackCaches.clear();
      const folder = await folders.make();
      await git(folder, [...option, "clone", "-q", behind, "copy"]);
      const copy = join(folder, "copy");
      expect(held).toBeGreaterThan(0);
      await work.commit({ "a.txt": "b\n" });
      await work.git(...option, "push", "-q", behind, "main");
      processPackCaches.clear();
      await git(copy, [...option, "pull", "-q"]);
      expect(await git(copy, ["rev-parse", "HEAD"])).toBe(await work.git("rev-parse", "HEAD"));
      await git(copy, ["fsck", "--full", "--strict"]);
      const partial = ["clone", "-q", "--filter=blob:none", "--depth=1", behind, "partial"];
      await git(folder, [...option, ...partial]);
      expect((await tryGit(join(folder, "partial"), ["show", "HEAD:a.txt"])).stdout).toBe("b\n");
    });
  });
}
