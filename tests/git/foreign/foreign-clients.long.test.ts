import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ResolvedRepository } from "#functions/git/resolve-contract";
import { writeRandomHistory } from "#tests/git/history/select/random-history";
import { type GitServer, type GitServerOptions, startGitServer } from "#tests/git/http/git-server";
import { heldBlobs } from "#tests/git/http/held-blobs";
import {
  cloneAndCheck,
  Folders,
  git,
  type NewCommit,
  remoteRefs,
  WorkingCopy,
} from "#tests/git/http/real-git";
import { createRandom } from "#tests/support/random";
import { type ForeignClient, runClient } from "./foreign-client.ts";

const clients: readonly ForeignClient[] = ["with_dulwich", "with_libgit2"];

/** A store slow enough, and a server impatient enough, that every answer is kept alive now and then. */
const slowly: GitServerOptions = { keepAliveMs: 2, wrapBlobs: (blobs) => heldBlobs(blobs, () => delay(30)) };
const fronts: readonly [string, GitServerOptions][] = [
  ["from a slow server", slowly],
  ["through the edge front", { isBehindEdge: true }],
];

const folders = new Folders();
afterEach(() => folders.remove());

/** Branches and tags that a clone holds of its origin, as `id name` lines named as there. */
async function fetchedRefs(folder: string): Promise<string[]> {
  const format = "--format=%(objectname) %(refname)";
  const listed = await git(folder, ["for-each-ref", format, "refs/remotes/origin", "refs/tags"]);
  const named = listed.split("\n").map((line) => line.replace("refs/remotes/origin/", "refs/heads/"));
  return named.filter((line) => !line.endsWith(" refs/heads/HEAD")).sort();
}

const numbered = (prefix: string, count: number): NewCommit[] =>
  Array.from({ length: count }, (_, index) => ({ files: { [`${prefix}/${index % 7}.txt`]: `${index}\n` } }));

describe.each(fronts)("%s", (_, options) => {
  let server: GitServer;
  let made = 0;
  beforeAll(async () => {
    server = await startGitServer(options);
  });
  afterAll(() => server.stop());
  const create = (rules: Partial<ResolvedRepository> = {}) => server.create(`foreign-${++made}`, { rules });

  describe.each(clients)("%s", (client) => {
    const run = (...args: string[]) => runClient(client, ...args);

    /** A clone by the client of a repository that real git pushed `commits` to. */
    async function cloned(commits: readonly NewCommit[]) {
      const { url } = await create();
      const work = await WorkingCopy.init(folders);
      await work.commitAll(commits);
      await work.git("push", "-q", url, "main");
      const folder = join(await folders.make(), "copy");
      await run("clone", url, folder);
      return { url, work, folder };
    }

    /** An empty repository, and what pushes to it from a working copy. */
    async function empty(rules: Partial<ResolvedRepository> = {}) {
      const { url } = await create(rules);
      const work = await WorkingCopy.init(folders);
      await work.git("remote", "add", "origin", url);
      return { url, work, push: (...specs: string[]) => run("push", work.folder, ...specs) };
    }

    const random = createRandom();
    it(`clones every branch and tag of a random history, and all their objects (SEED=${random.seed})`, async () => {
      const { url } = await create();
      const source = await WorkingCopy.init(folders);
      await writeRandomHistory(source.folder, random, 120);
      await source.git("update-ref", "refs/heads/main", "refs/heads/c120");
      await source.git("push", "-q", "--mirror", url);
      const folder = join(await folders.make(), "copy");
      await run("clone", url, folder);
      expect(await fetchedRefs(folder)).toEqual((await remoteRefs(url)).sort());
      await git(folder, ["fsck", "--full", "--strict"]);
    });

    it("fetches what is new, and nothing else, after both sides went on for many commits", async () => {
      const { url, work, folder } = await cloned(numbered("common", 150));
      const copy = new WorkingCopy(folder);
      for (const name of ["one", "two", "three"]) {
        await copy.git("checkout", "-q", "-B", name, "origin/main");
        await copy.commitAll(numbered(name, 60));
      }
      const [tip] = (await work.commitAll(numbered("theirs", 40))).slice(-1);
      await work.git("push", "-q", url, "main");
      const stored = async () => Number(/^in-pack: (\d+)/m.exec(await copy.git("count-objects", "-v"))?.[1]);
      const before = await stored();
      await run("fetch", folder);
      expect(await copy.git("rev-parse", "origin/main")).toBe(tip);
      await copy.git("fsck", "--full", "--strict");
      const added = await copy.git("rev-list", "--objects", "--count", "origin/main", "^origin/main~40");
      expect((await stored()) - before).toBe(Number(added));
    });

    it("pushes first, again, a branch, a tag, by force, and deletes", async () => {
      const { url, work, push } = await empty();
      const commits = await work.commitAll(numbered("first", 30));
      expect(await push("refs/heads/main:refs/heads/main")).toEqual({});
      const [latest] = (await work.commitAll(numbered("more", 5))).slice(-1);
      await work.git("branch", "back", commits[3] as string);
      await work.git("tag", "-a", "v1", "-m", "the first");
      const tag = await work.git("rev-parse", "v1");
      expect(await push("refs/heads/main:refs/heads/main")).toEqual({});
      expect(await push("refs/heads/main:refs/heads/topic", "refs/tags/v1:refs/tags/v1")).toEqual({});
      expect(await push("+refs/heads/back:refs/heads/topic")).toEqual({});
      const there = [`${latest} refs/heads/main`, `${commits[3]} refs/heads/topic`, `${tag} refs/tags/v1`];
      expect(await remoteRefs(url)).toEqual(there);
      await cloneAndCheck(folders, url);
      expect(await push(":refs/heads/topic")).toEqual({});
      expect(await remoteRefs(url)).toEqual([there[0], there[2]]);
    });

    it("pushes 3 MB that do not compress", async () => {
      const { url, work, push } = await empty();
      const tip = await work.commit({ "large.txt": randomBytes(3 * 2 ** 20).toString("base64") });
      expect(await push("refs/heads/main:refs/heads/main")).toEqual({});
      expect(await remoteRefs(url)).toEqual([`${tip} refs/heads/main`]);
    });

    it("tells which ref was refused and why, and the others land", async () => {
      const words = "main is for reviewed work";
      const { url, work, push } = await empty({
        judge: (_, changes) => changes.map(({ name }) => (name === "refs/heads/main" ? words : undefined)),
      });
      const tip = await work.commit({ "a.txt": "a\n" });
      const refused = await push("refs/heads/main:refs/heads/main", "refs/heads/main:refs/heads/mine");
      expect(refused).toEqual({ "refs/heads/main": words });
      expect(await remoteRefs(url)).toEqual([`${tip} refs/heads/mine`]);
    });
  });

  it("with_dulwich clones one commit deep, and deepens", async () => {
    const { url } = await create();
    const work = await WorkingCopy.init(folders);
    await work.commitAll(numbered("deep", 6));
    await work.git("push", "-q", url, "main");
    const folder = join(await folders.make(), "copy");
    const depth = async () => Number(await git(folder, ["rev-list", "--count", "origin/main"]));
    await runClient("with_dulwich", "clone", url, folder, "1");
    expect(await depth()).toBe(1);
    await runClient("with_dulwich", "fetch", folder, "4");
    expect(await depth()).toBe(4);
  });
});
