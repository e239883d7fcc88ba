import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type ObjectFormat, zeroId } from "#core/git/format/object-format";
import { openRepository } from "#core/git/store/store";
import { makeCommit } from "#tests/git/store/made-objects";
import { delta, type RawEntry, rawPack } from "../pack/raw-pack.ts";
import { type GitServer, type GitServerOptions, startGitServer } from "./git-server.ts";
import { rawPush, readReport, sendPush } from "./raw-push.ts";
import { Folders, git, runGit, WorkingCopy } from "./real-git.ts";

/** A blob, and others in a chain of deltas, each upon the one before. */
function chain(length: number): RawEntry[] {
  const base = Buffer.from("the base of a long chain, which all of it shares\n".repeat(20));
  const entries: RawEntry[] = [{ data: base }];
  for (let at = 0; at < length; at += 1) {
    const end = Buffer.from(`${String(at).padStart(5, "0")}\n`);
    const size = base.length + at * end.length;
    entries.push({ data: delta(size, size + end.length, [{ from: 0, size }, end]), ofs: at });
  }
  return entries;
}

/** Commits every object of a pack as a file, in the deltas that they come in. */
async function commitAll(
  work: WorkingCopy,
  format: ObjectFormat,
  entries: readonly RawEntry[],
): Promise<WorkingCopy> {
  await runGit(work.folder, ["index-pack", "--stdin"], { input: rawPack(format, entries) });
  const listed = await work.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)");
  const files = listed.split("\n").map((id, at) => `100644 blob ${id}\tfile-${at}\n`);
  const tree = await git(work.folder, ["mktree"], { input: files.join("") });
  const tip = await work.git("commit-tree", "-m", "a chain", tree);
  await work.git("update-ref", "refs/heads/main", tip);
  return work;
}

/** What a server with narrow bounds says to pushes beyond them. */
export function testPackBounds(formats: readonly ObjectFormat[]): void {
  describe.each(formats)("the bounds of a pushed pack (%s)", (format) => {
    const folders = new Folders();
    let server: GitServer;
    afterEach(() => server.stop());
    afterAll(() => folders.remove());

    /** A repository on a server with these settings. */
    async function create(options: GitServerOptions) {
      server = await startGitServer(options);
      return server.create("bounded", { format });
    }
    const refsOf = async (id: number) => (await openRepository(server.forge, id))?.refs.entries;
    const committed = async (entries: readonly RawEntry[]) =>
      commitAll(await WorkingCopy.init(folders, format), format, entries);

    it("GIT_MAX_DELTA_DEPTH: git shows its user that the chain is too long, and takes one that is as long as it may be", async () => {
      const { url, id } = await create({ settings: { GIT_MAX_DELTA_DEPTH: "50" } });
      const push = ["-c", "pack.depth=4000", "push", url, "main"];
      const refused = await (await committed(chain(51))).try(...push);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain("the pack chains more than 50 deltas");
      expect(await refsOf(id)).toEqual([]);
      expect(await (await committed(chain(50))).try(...push)).toMatchObject({ code: 0 });
    });

    it("GIT_CHECK_TIMEOUT: git shows its user that the checks took too long", async () => {
      // Less than may be set, so that one file is enough.
      const { url, id } = await create({ config: { gitCheckTimeoutSeconds: 0.001 } });
      const work = await committed([{ data: Buffer.alloc(16 * 2 ** 20) }]);
      const run = await work.try("push", url, "main");
      expect(run.code).not.toBe(0);
      expect(run.stderr).toContain("checking the pack took more than 0.001 s");
      expect(await refsOf(id)).toEqual([]);
    });

    it("a few bytes that make a huge object are refused in words, and no object of that size is made", async () => {
      const { url, id } = await create({ settings: { GIT_MAX_OBJECT_BYTES: String(2 ** 30) } });
      const steps = (bytes: number) =>
        Array.from({ length: bytes / 65_536 }, () => ({ from: 0, size: 65_536 }));
      const push = async (entries: readonly RawEntry[]) => {
        const commands = [{ old: zeroId(format), new: makeCommit(format).id, name: "refs/heads/main" }];
        const body = rawPush(
          commands,
          rawPack(format, entries),
          `report-status side-band-64k object-format=${format}`,
        );
        expect(body.length).toBeLessThan(200_000);
        return (await readReport(await sendPush(url, body))).lines[0];
      };
      const zeros: RawEntry = { data: Buffer.alloc(65_536) };
      const huge = (bytes: number): RawEntry => ({ data: delta(65_536, bytes, steps(bytes)), ofs: 0 });
      const before = process.memoryUsage().rss;
      expect(await push([zeros, huge(2 ** 31)])).toMatch(
        /^unpack the object at offset \d+ has 2147483648 bytes/,
      );
      expect(await push([zeros, huge(2 ** 29 + 65_536)])).toMatch(
        /^unpack the delta at offset \d+ is of an object above 536870912 bytes/,
      );
      expect(process.memoryUsage().rss - before).toBeLessThan(256 * 2 ** 20);
      expect(await refsOf(id)).toEqual([]);
    });
  });
}
