import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { zeroId } from "#core/git/format/object-format";
import { gitPartition } from "#core/git/store/refs/refs.table";
import { type GitServer, startGitServer } from "./git-server.ts";
import { objectsOf, packOf, rawPush, readReport, sendPush } from "./raw-push.ts";
import { cloneAndCheck, Folders, git, remoteRefs, WorkingCopy } from "./real-git.ts";

let server: GitServer;
const folders = new Folders();
beforeAll(async () => {
  server = await startGitServer();
});
afterEach(() => folders.remove());
afterAll(() => server.stop());

describe.each(["sha1", "sha256"] as const)(
  "more refs in one push than a transaction holds (%s)",
  (format) => {
    it("land all or none with --atomic, and are deleted again", async () => {
      let isLocked = true;
      const judge = (_: unknown, changes: readonly { name: string }[]) =>
        changes.map(({ name }) =>
          isLocked && name.includes("/1234/") ? "the branch is protected" : undefined,
        );
      const { url, id } = await server.create(`many-${format}`, { format, rules: { judge } });
      const work = await WorkingCopy.init(folders, format);
      for (let number = 0; number < 3; number++) await work.commit({ "a.txt": `${number}\n` });
      const commits = (await work.git("rev-list", "HEAD")).split("\n");
      // As few as a transaction doesn't hold, with names as long as they may be that differ at their beginning: git
      // compares each with each.
      const long = `${"n".repeat(240)}/`.repeat(3) + "n".repeat(240);
      const names = Array.from({ length: 3_600 }, (_, at) => `refs/heads/${at + 1_000}/${long}`);
      const packed = names.map((name, at) => `${commits[at % 3]} ${name}\n`);
      await writeFile(
        join(work.folder, ".git", "packed-refs"),
        `# pack-refs with: peeled fully-peeled sorted \n${packed.join("")}`,
      );
      // By hand: git's client takes as long for its look at each ref again, and says the same of a few.
      const refs = [...names, "refs/heads/main"];
      const commands = refs.map((name, at) => ({
        old: zeroId(format),
        new: commits[at % 3] as string,
        name,
      }));
      const pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
      const capabilities = `report-status side-band-64k atomic object-format=${format}`;
      const { lines } = await readReport(await sendPush(url, rawPush(commands, pack, capabilities)));
      expect(lines).toContain(`ng ${names[234]} the branch is protected`);
      expect(lines.filter((line) => line.startsWith("ng "))).toHaveLength(3_601);
      expect(await remoteRefs(url)).toEqual([]);
      isLocked = false;
      await work.git("push", "-q", "--atomic", url, "--all");
      expect(await remoteRefs(url)).toHaveLength(3_601);
      const staged = await server.forge.table.queryAll({ pk: gitPartition(id), prefix: "C#" });
      expect(staged.length, "more than one transaction holds").toBeGreaterThan(0);
      expect(await work.git("ls-remote", url, "refs/heads/*")).toBe(
        await git(await cloneAndCheck(folders, url), ["for-each-ref", "--format=%(objectname)%09%(refname)"]),
      );
      const deletions = names.slice(0, 100).map((name) => `:${name}`);
      await git(work.folder, ["push", "-q", "--atomic", url, ...deletions]);
      expect(await remoteRefs(url)).toHaveLength(3_501);
    });
  },
);
