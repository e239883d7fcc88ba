import { cp } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import type { GitServerOptions } from "#tests/git/http/git-server";
import { git, WorkingCopy } from "#tests/git/http/real-git";
import { type Pair, Peers } from "./pair.ts";

let peers: Peers;

/** A format and a protocol version that a suite runs with. */
export interface Shape {
  readonly format: ObjectFormat;
  readonly version: "0" | "1" | "2";
}

/** Ten commits of main a minute apart, a side branch merged in, tags. */
async function makeHistory(format: ObjectFormat): Promise<WorkingCopy> {
  const work = await WorkingCopy.init(peers.folders, format);
  const first = [0, 1, 2, 3, 4, 5].map((number) => ({
    files: { "a.txt": `${number}\n`, [`dir/${number}.txt`]: `${number}\n`, "same.txt": "same\n" },
  }));
  await work.commitAll(first);
  await work.git("tag", "-a", "-m", "one", "v1", "main~3");
  await work.git("checkout", "-q", "-b", "side", "main~4");
  await work.commitAll([{ files: { "side.txt": "s\n" } }, { files: { "side.txt": "s, more\n" } }]);
  await work.git("checkout", "-q", "main");
  await work.git("merge", "-q", "--no-ff", "-m", "join", "side");
  await work.commitAll(["6\n", "7\n", "8\n"].map((text) => ({ files: { "a.txt": text } })));
  return work;
}

async function push(work: WorkingCopy, format: ObjectFormat): Promise<Pair> {
  const pair = await peers.create(format);
  await pair.push(work.folder, "main", "side", "v1");
  return pair;
}

const receivedIn = async (folder: string): Promise<number> =>
  Number((await git(folder, ["count-objects", "-v"])).match(/^count: (\d+)/m)?.[1]);

/** Shallow fetches by git, compared with what its own server gives. */
export function testShallowFetches(shapes: readonly Shape[], options: GitServerOptions = {}): void {
  beforeAll(async () => {
    peers = await Peers.start(options);
  });
  afterAll(() => peers.stop());
  describe.each(shapes)(
    "shallow fetches as git's own server answers them, $format, protocol $version",
    (shape) => {
      const option = ["-c", `protocol.version=${shape.version}`];
      let history: WorkingCopy;
      let unchanged: Pair;
      beforeAll(async () => {
        history = await makeHistory(shape.format);
        unchanged = await push(history, shape.format);
      });

      /** The history on servers of their own, and in a working copy that may go on. */
      const pushed = async (): Promise<{ pair: Pair; work: WorkingCopy }> => {
        const folder = await peers.folders.make();
        await cp(history.folder, folder, { recursive: true });
        const work = new WorkingCopy(folder);
        return { pair: await push(work, shape.format), work };
      };

      it("--depth, deeper, --deepen, less deep, plain, then --unshallow", async () => {
        const { pair, work } = await pushed();
        const twins = await pair.clone(...option, "--depth=2", "--no-single-branch");
        expect((await twins.compare()).shallow.length).toBeGreaterThan(0);
        for (const fetch of [
          ["--depth=3"],
          ["--deepen=2"],
          ["--deepen=1", "origin", "main"],
          ["--depth=1"],
        ]) {
          await twins.run(...option, "fetch", "-q", ...fetch);
          await twins.compare();
        }
        await work.git("checkout", "-q", "side");
        await work.commit({ "side.txt": "goes on\n" });
        await pair.push(work.folder, "side");
        await twins.run(...option, "fetch", "-q");
        await twins.compare();
        await twins.run(...option, "fetch", "-q", "--unshallow");
        const whole = await twins.compare();
        expect(whole.shallow).toEqual([]);
        expect(whole.objects.length).toBe(
          (await git(pair.bare, ["rev-list", "--objects", "--all"])).split("\n").length,
        );
      });

      it("--shallow-since and --shallow-exclude, from nothing, from a border, and from everything", async () => {
        const dates = (await history.git("log", "--first-parent", "--format=%ct", "main")).split("\n");
        const since = `--shallow-since=@${dates[2]} +0000`;
        const cloned = await unchanged.clone(...option, since);
        expect((await cloned.compare()).shallow.length).toBe(1);
        await cloned.run(...option, "fetch", "-q", `--shallow-since=@${dates[5]} +0000`);
        await cloned.compare();
        const excluding = await unchanged.clone(...option, "--shallow-exclude=v1", "--no-single-branch");
        expect((await excluding.compare()).shallow.length).toBeGreaterThan(0);
        await excluding.run(...option, "fetch", "-q", "--shallow-exclude=side");
        await excluding.compare();
        const whole = await unchanged.clone(...option);
        await whole.run(...option, "fetch", "-q", "--shallow-exclude=refs/heads/side");
        await whole.compare();
      });

      // Git's server names the borders of the whole range, also below a border that stays one, whose parents it doesn't
      // send. Its client dies of the next fetch that lifts such a border, on both servers, until `git prune` forgets it.
      it("a date that one side of a merge does not reach names a border that is not sent, until git prune", async () => {
        const pair = await peers.create(shape.format);
        const work = await WorkingCopy.init(peers.folders, shape.format);
        const empty = (await git(work.folder, ["hash-object", "-t", "tree", "-w", "/dev/null"])).trim();
        const commit = async (seconds: number, ...parents: string[]) => {
          const who = `A <a@example.org> ${seconds} +0000`;
          const links = parents.map((id) => `parent ${id}\n`).join("");
          const text = `tree ${empty}\n${links}author ${who}\ncommitter ${who}\n\nc\n`;
          return (
            await git(work.folder, ["hash-object", "-t", "commit", "-w", "--stdin"], { input: text })
          ).trim();
        };
        const root = await commit(1_000_000);
        const young = await commit(2_000_000, root);
        const join = await commit(2_000_060, await commit(1_000_060, root), await commit(2_000_001, young));
        const tip = await commit(2_000_120, join);
        await work.git("update-ref", "refs/heads/main", tip);
        await pair.push(work.folder, "main");
        const twins = await pair.clone(...option, "--depth=2");
        await twins.run(...option, "fetch", "-q", "--shallow-since=@1500000 +0000");
        expect((await twins.compare()).shallow).toEqual([join, young].sort());
        const [lifted] = await twins.run(...option, "fetch", "-q", "--unshallow");
        expect(lifted.stderr).toContain(`error in object: unshallow ${young}`);
        await twins.run("prune");
        const [whole] = await twins.run(...option, "fetch", "-q", "--unshallow");
        expect([whole.code, (await twins.compare()).shallow]).toEqual([0, []]);
      });

      it("ranges of no commit, unknown refs and mixed bounds fail on both sides", async () => {
        const twins = await unchanged.clone(...option, "--depth=1");
        for (const bound of ["--shallow-since=@4000000000 +0000", "--shallow-exclude=nowhere"]) {
          const [ours] = await twins.run(...option, "fetch", "-q", bound);
          expect(ours.code).not.toBe(0);
          expect(ours.stderr).toMatch(/no commits selected|there is no ref/);
        }
        await twins.compare();
      });

      it("a border is not taken to imply its parents", async () => {
        const { pair, work } = await pushed();
        const twins = await pair.clone(...option, "--depth=1", "--branch=main");
        // The side branch leads to commits below the border of main, which the client has not.
        await twins.run(...option, "fetch", "-q", "origin", "side:refs/heads/side");
        await twins.compare();
        await work.git("checkout", "-q", "-b", "old", "main~6");
        await work.commit({ "old.txt": "on an old commit\n" });
        await pair.push(work.folder, "old");
        await twins.run(...option, "fetch", "-q", "origin", "old:refs/heads/old");
        await twins.compare();
      });

      it("fetching one commit deep again and again brings what changed, not the whole tree", async () => {
        const { pair, work } = await pushed();
        const twins = await pair.clone(...option, "--depth=1");
        for (let round = 0; round < 2; round++) {
          const before = await receivedIn(twins.folders[0]);
          await work.commit({ "a.txt": `round ${round}\n` });
          await pair.push(work.folder, "main");
          await twins.run(...option, "fetch", "-q", "--depth=1");
          expect((await receivedIn(twins.folders[0])) - before).toBe(3);
          await twins.compare();
        }
      });
    },
  );
}
