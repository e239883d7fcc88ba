import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { type GitServer, type GitServerOptions, startGitServer } from "./git-server.ts";
import { cloneAndCheck, Folders, git, remoteRefs, tryGit, WorkingCopy } from "./real-git.ts";

/** A format and a protocol version that the suite runs with. */
export interface Shape {
  readonly format: ObjectFormat;
  readonly version: "0" | "2";
}

/** A server for a suite, and what the tests of a shape do with it; their folders go with each test. */
function startTrips(options: GitServerOptions) {
  let server: GitServer;
  const folders = new Folders();
  beforeAll(async () => {
    server = await startGitServer(options);
  });
  afterAll(() => server.stop());
  afterEach(() => folders.remove());
  return ({ format, version }: Shape) => {
    const option = ["-c", `protocol.version=${version}`];
    const create = (name: string) => server.create(`${name}-${format}-${version}`, { format });
    const refsOf = (folder: string) =>
      git(folder, ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags"]);

    /** A repository with three commits pushed, and the working copy it came from. */
    async function pushed(name: string) {
      const { url, id } = await create(name);
      const work = await WorkingCopy.init(folders, format);
      await work.commitAll([
        { files: { "a.txt": "one\n", "src/b.txt": "two\n", "src/deep/c.txt": "three\n" } },
        { files: { "a.txt": "one\nmore\n" } },
        { files: { "src/deep/c.txt": "three\nmore\n" } },
      ]);
      await work.git("remote", "add", "origin", url);
      await work.git(...option, "push", "-q", "origin", "main");
      return { url, id, work };
    }
    return { format, version, option, folders, create, refsOf, pushed };
  };
}

/** Push, clone and fetch with git itself. */
export function testRoundTrips(shapes: readonly Shape[], options: GitServerOptions = {}): void {
  const tripsOf = startTrips(options);
  describe.each(shapes)("git over HTTP, $format, protocol $version", (shape) => {
    const { version, option, folders, create, refsOf, pushed } = tripsOf(shape);

    it("push, clone and fetch carry a history over, and every clone passes fsck", async () => {
      const { url, work } = await pushed("basic");
      const copy = await cloneAndCheck(folders, url, ...option);
      expect(await refsOf(copy)).toBe(await refsOf(work.folder));
      expect(await git(copy, ["symbolic-ref", "HEAD"])).toBe("refs/heads/main");

      for (let round = 0; round < 3; round++) {
        await work.commit({ "a.txt": `round ${round}\n`, [`new/${round}.txt`]: "x\n" });
        await work.git(...option, "push", "-q", "origin", "main");
        await git(copy, [...option, "fetch", "-q"]);
        expect(await git(copy, ["rev-parse", "main"])).toBe(await work.git("rev-parse", "main"));
      }
      await git(copy, ["fsck", "--full", "--strict"]);
      expect((await tryGit(copy, [...option, "fetch", "-q"])).stderr).toBe("");
    });

    it("an empty repository is cloned with the branch it will have", async () => {
      const { url } = await create("empty");
      const folder = await folders.make();
      await git(folder, [...option, "clone", "-q", url, "copy"]);
      const copy = join(folder, "copy");
      expect(await git(copy, ["symbolic-ref", "HEAD"])).toMatch(
        version === "2" ? /^refs\/heads\/main$/ : /^refs\/heads\//,
      );
      expect(await remoteRefs(url, ...option)).toEqual([]);
    });

    it("annotated and lightweight tags go along, and are peeled in the listing", async () => {
      const { url, work } = await pushed("tags");
      await work.git("tag", "light");
      await work.git("tag", "-a", "-m", "first", "v1", "HEAD~1");
      await work.git("tag", "-a", "-m", "of a tag", "v1-signed-off", "v1");
      await work.git("tag", "tree-tag", "HEAD^{tree}");
      await work.git(...option, "push", "-q", "origin", "--tags");
      const copy = await cloneAndCheck(folders, url, ...option);
      expect(await refsOf(copy)).toBe(await refsOf(work.folder));
      const peeled = await git(copy, [...option, "ls-remote", url, "refs/tags/v1*"]);
      const commit = await work.git("rev-parse", "v1^{commit}");
      expect(peeled).toContain(`${commit}\trefs/tags/v1^{}`);
      expect(peeled).toContain(`${commit}\trefs/tags/v1-signed-off^{}`);
    });

    it("branches are created, moved back by force, and deleted", async () => {
      const { url, work } = await pushed("branches");
      await work.git(
        ...option,
        "push",
        "-q",
        "origin",
        "main:topic/one",
        "main~1:refs/heads/topic/two",
        "main:gone",
      );
      const tip = await work.git("rev-parse", "main");
      await work.git("reset", "-q", "--hard", "main~2");
      await work.commit({ "other.txt": "another line of history\n" });
      const refused = await work.try(...option, "push", "-q", "origin", "main");
      expect(refused.stderr).toContain("[rejected]");
      expect(refused.stderr).toContain("non-fast-forward");
      await work.git(...option, "push", "-q", "--force", "origin", "main");
      await work.git(...option, "push", "-q", "origin", "--delete", "gone");
      expect(await remoteRefs(url, ...option)).toEqual([
        `${await work.git("rev-parse", "main")} refs/heads/main`,
        `${tip} refs/heads/topic/one`,
        `${await work.git("rev-parse", `${tip}~1`)} refs/heads/topic/two`,
      ]);
      const copy = await cloneAndCheck(folders, url, ...option);
      expect((await refsOf(copy)).split("\n")).toEqual(await remoteRefs(url, ...option));
    });
  });
}

/** Contents of every kind, pieces, and what a client must not get or needs not. */
export function testRareRoundTrips(shapes: readonly Shape[], options: GitServerOptions = {}): void {
  const tripsOf = startTrips(options);
  describe.each(shapes)("git over HTTP, $format, protocol $version", (shape) => {
    const { format, option, folders, pushed } = tripsOf(shape);

    it("a fetch of a branch brings the tags of its new commits in the same answer", async () => {
      const { url, work } = await pushed("include-tag");
      const folder = await folders.make();
      await git(folder, [...option, "clone", "-q", url, "copy"]);
      const copy = join(folder, "copy");
      await work.commit({ "a.txt": "tagged\n" });
      await work.git("tag", "-a", "-m", "two", "v2");
      await work.git(...option, "push", "-q", "origin", "main", "v2");
      await git(copy, [...option, "fetch", "-q"]);
      expect(await git(copy, ["rev-parse", "v2^{commit}"])).toBe(await work.git("rev-parse", "main"));
      await git(copy, ["fsck", "--full", "--strict"]);
    });

    it("what a forced push left behind is neither cloned nor given out by its id", async () => {
      const { url, work } = await pushed("hidden");
      const secret = await work.commit({ "secret.txt": "to be withdrawn\n" });
      await work.git(...option, "push", "-q", "origin", "main");
      await work.git("reset", "-q", "--hard", "main~1");
      await work.git(...option, "push", "-q", "--force", "origin", "main");
      const copy = await cloneAndCheck(folders, url, ...option);
      expect((await tryGit(copy, ["cat-file", "-e", secret])).code).not.toBe(0);
      const asked = await tryGit(copy, [...option, "fetch", "-q", url, secret]);
      expect(asked.code).not.toBe(0);
      expect(asked.stderr).toContain(`not our ref ${secret}`);
      const ancestor = await work.git("rev-parse", "main~1");
      const other = await folders.make();
      await git(other, ["init", "-q", `--object-format=${format}`]);
      await git(other, [...option, "fetch", "-q", url, ancestor]);
      expect(await git(other, ["rev-parse", "FETCH_HEAD"])).toBe(ancestor);
    });

    it("one branch is cloned without the others' objects", async () => {
      const { url, work } = await pushed("single");
      await work.git("checkout", "-q", "-b", "side");
      const side = await work.commit({ "side.txt": "only here\n" });
      await work.git(...option, "push", "-q", "origin", "side");
      const folder = await folders.make();
      await git(folder, [...option, "clone", "-q", "--single-branch", "-b", "main", url, "copy"]);
      const copy = join(folder, "copy");
      expect((await tryGit(copy, ["cat-file", "-e", side])).code).not.toBe(0);
      await git(copy, ["fsck", "--full", "--strict"]);
      await git(copy, [...option, "fetch", "-q", "origin", "side"]);
      expect(await git(copy, ["rev-parse", "FETCH_HEAD"])).toBe(side);
      await git(copy, ["fsck", "--full", "--strict"]);
    });

    it("merges, and histories that clients share in part, are fetched completely", async () => {
      const { url, work } = await pushed("merges");
      const copy = await cloneAndCheck(folders, url, ...option);
      await work.git("checkout", "-q", "-b", "left");
      await work.commit({ "left.txt": "l\n", "src/b.txt": "two, left\n" });
      await work.git("checkout", "-q", "-b", "right", "main");
      await work.commit({ "right.txt": "r\n" });
      await work.git("merge", "-q", "--no-ff", "-m", "join", "left");
      await work.commit({ "src/b.txt": "two\n" }, "back to the old content");
      await work.git(...option, "push", "-q", "origin", "left", "right");
      await git(copy, [...option, "fetch", "-q", "origin", "+refs/heads/left:refs/heads/left"]);
      await git(copy, ["fsck", "--full", "--strict"]);
      await git(copy, [...option, "fetch", "-q", "origin", "+refs/heads/right:refs/heads/right"]);
      await git(copy, ["fsck", "--full", "--strict"]);
      expect(await git(copy, ["rev-parse", "right"])).toBe(await work.git("rev-parse", "right"));
    });

    it("a client with many commits of its own gets only what it lacks", async () => {
      const { url, work } = await pushed("negotiation");
      const other = new WorkingCopy(await folders.make());
      await git(other.folder, [...option, "clone", "-q", url, "."]);
      await other.commitAll(
        Array.from({ length: 70 }, (_, number) => ({ files: {}, message: `own ${number}` })),
      );
      await work.commit({ "a.txt": "from elsewhere\n" });
      await work.git(...option, "push", "-q", "origin", "main");
      const before = Number((await other.git("count-objects", "-v")).match(/^in-pack: (\d+)/m)?.[1]);
      await other.git(...option, "-c", "fetch.unpackLimit=1", "fetch", "-q", "origin");
      const after = Number((await other.git("count-objects", "-v")).match(/^in-pack: (\d+)/m)?.[1]);
      // A commit, a tree, a blob; a thin pack's base may be added by the client.
      expect(after - before).toBeLessThanOrEqual(5);
      await other.git("fsck", "--full", "--strict");
    });

    it("a large push comes chunked and a pull goes on from it", async () => {
      const { url, work } = await pushed("chunked");
      const noise = Array.from({ length: 3000 }, (_, line) => `${line * 7919} ${line ** 3}`).join("\n");
      await work.commit({ "big.txt": noise });
      await work.git(...option, "-c", "http.postBuffer=4096", "push", "-q", "origin", "main");
      const copy = await cloneAndCheck(folders, url, ...option);
      expect(await git(copy, ["show", "main:big.txt"])).toBe(noise);
    });

    it("names and contents of every kind come back as they went", async () => {
      const { url, work } = await pushed("shapes");
      const { writeFile, symlink, chmod } = await import("node:fs/promises");
      await writeFile(join(work.folder, "run.sh"), "#!/bin/sh\n");
      await chmod(join(work.folder, "run.sh"), 0o755);
      await symlink("a.txt", join(work.folder, "link"));
      await writeFile(join(work.folder, "größe"), Buffer.from([0, 255, 1, 254]));
      await rm(join(work.folder, "src/b.txt"));
      await work.git("add", "-A");
      await work.git("commit", "-q", "-m", "kinds");
      await work.git("branch", "größe/ñ");
      await work.git(...option, "push", "-q", "origin", "--all");
      const copy = await cloneAndCheck(folders, url, ...option);
      expect(await git(copy, ["ls-tree", "-r", "main"])).toBe(await work.git("ls-tree", "-r", "main"));
      expect(await git(copy, ["rev-parse", "größe/ñ"])).toBe(await work.git("rev-parse", "main"));
    });
  });
}
