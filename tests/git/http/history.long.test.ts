import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { writeRandomHistory } from "#tests/git/history/select/random-history";
import { bareRepository } from "#tests/git/pack/real-git";
import { generateRepository } from "#tests/support/git/git-generator";
import { createRandom } from "#tests/support/random";
import { type GitServer, startGitServer } from "./git-server.ts";
import { pushRefs } from "./raw-push.ts";
import { cloneAndCheck, Folders, git, remoteRefs } from "./real-git.ts";

let server: GitServer;
const folders = new Folders();
beforeAll(async () => {
  server = await startGitServer();
});
afterEach(() => folders.remove());
afterAll(() => server.stop());

const listRefs = async (folder: string) =>
  (await git(folder, ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags"])).split(
    "\n",
  );
const objectList = async (folder: string) =>
  (await git(folder, ["rev-list", "--objects", "--all", "--no-object-names"])).split("\n").sort();

describe.each(["sha1", "sha256"] as const)("random histories over HTTP (%s)", (format) => {
  // The first two once led to packs whose deltas rested on each other.
  const seeds = [409068866, 1965232994, undefined];
  for (const [number, seed] of seeds.entries()) {
    const random = createRandom(seed);

    it(`reach slow and quick clients alike, history ${number} (SEED=${random.seed})`, async () => {
      const commits = 60;
      const source = await bareRepository(format);
      await writeRandomHistory(source, random, commits);
      const { url } = await server.create(`random-${format}-${number}`, { format });
      const version = () => ["-c", `protocol.version=${random.pick(["0", "1", "2"])}`];
      const clients: string[] = [];
      for (let pushed = 1; pushed <= commits; pushed++) {
        if (!random.chance(0.35) && pushed < commits) continue;
        const forced = random
          .some(
            Array.from({ length: pushed }, (_, index) => index + 1),
            3,
          )
          .map((one) => `+refs/heads/c${one}:refs/heads/moving${random.integer(3)}`);
        const distinct = forced.filter(
          (one, at) => forced.findIndex((other) => other.split(":")[1] === one.split(":")[1]) === at,
        );
        await git(source, [...version(), "push", "-q", url, `refs/heads/c${pushed}`, ...distinct]);
        if (random.chance(0.2)) await git(source, [...version(), "push", "-q", url, "--tags"]);
        if (random.chance(0.3)) clients.push(await cloneAndCheck(folders, url, ...version()));
        const some = random.some(clients, 2);
        const refs = some.length === 0 ? [] : await remoteRefs(url);
        for (const client of some) {
          await git(client, [...version(), "fetch", "-q", "--prune"]);
          expect(await listRefs(client)).toEqual(refs);
        }
      }
      await git(source, ["push", "-q", "--mirror", url]);
      const [refs, objects] = [await listRefs(source), await objectList(source)];
      for (const client of [...clients, await cloneAndCheck(folders, url)]) {
        await git(client, [...version(), "fetch", "-q", "--prune"]);
        expect(await listRefs(client)).toEqual(refs);
        expect(await objectList(client)).toEqual(objects);
        await git(client, ["fsck", "--full", "--strict"]);
      }
    });
  }
});

describe("a large repository", () => {
  it("of 24,000 objects is pushed, cloned byte for byte, and fetched from", async () => {
    const source = join(await folders.make(), "source.git");
    await generateRepository({ folder: source, objects: 24_000 });
    const { url } = await server.create("large");
    await git(source, ["push", "-q", "--mirror", url]);
    const copy = await cloneAndCheck(folders, url);
    expect(await listRefs(copy)).toEqual(await listRefs(source));
    const objects = (await objectList(source)).join();
    expect((await objectList(copy)).join() === objects).toBe(true);
    await git(source, ["push", "-q", url, "main~30:refs/heads/old"]);
    const client = await folders.make();
    await git(client, ["init", "-q", "--bare"]);
    await git(client, ["fetch", "-q", url, "old"]);
    await git(client, ["fetch", "-q", url, "+refs/*:refs/*"]);
    expect((await objectList(client)).join() === objects).toBe(true);
    await git(client, ["fsck", "--full", "--strict"]);
  });

  it("of 10,000 refs is pushed at once, listed and cloned", async () => {
    const source = join(await folders.make(), "source.git");
    await generateRepository({ folder: source, objects: 1_000 });
    const commits = (await git(source, ["rev-list", "main"])).split("\n");
    const refs = Array.from({ length: 10_000 }, (_, index) => ({
      id: commits[index % commits.length] as string,
      name: `refs/heads/many/b${index}`,
    }));
    const { url } = await server.create("many-refs");
    await git(source, ["push", "-q", "--mirror", url]);
    await pushRefs(url, source, refs);
    const lines = refs.map(({ id, name }) => `create ${name} ${id}`);
    await git(source, ["update-ref", "--stdin"], { input: `${lines.join("\n")}\n` });
    for (const version of ["0", "2"]) {
      expect(await remoteRefs(url, "-c", `protocol.version=${version}`)).toEqual(await listRefs(source));
    }
    const copy = await cloneAndCheck(folders, url);
    expect(await listRefs(copy)).toEqual(await listRefs(source));
  });
});
