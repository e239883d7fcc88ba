import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { hiddenPrefix } from "#core/git/refs/hidden-refs";
import { commitPush } from "#core/git/store/push/commit-push";
import { readRoot } from "#core/git/store/store";
import { git, remoteRefs, tryGit, WorkingCopy } from "#tests/git/http/real-git";
import { measured } from "#tests/support/measured";
import { type Pair, Peers } from "./pair.ts";
import { ask, commandOf, readAnswer } from "./raw-fetch.ts";

let peers: Peers;

/** A repository from which a commit was withdrawn, so that not everything in its packs may be given out. */
async function withdrawn(format: ObjectFormat): Promise<{ pair: Pair; work: WorkingCopy; secret: string }> {
  const pair = await peers.create(format);
  const [url] = pair.urls;
  const work = await WorkingCopy.init(peers.folders, format);
  await work.commitSeries(8, (number) => ({
    "a.txt": `${number}\n`,
    [`dir/${number}.txt`]: `${number} in dir\n`,
  }));
  const secret = await work.commit({ "secret/key.txt": "to be withdrawn\n" });
  await work.git("push", "-q", url, "main");
  await work.git("reset", "-q", "--hard", "main~1");
  await work.git("push", "-q", "--force", url, "main");
  expect((await readRoot(peers.server.forge, pair.id))?.isWhollyReachable).toBe(false);
  return { pair, work, secret };
}

/** What clients read later, by its id: given where a ref leads to it, refused where none does. */
export function testLazyFetches(formats: readonly ObjectFormat[]): void {
  beforeAll(async () => {
    peers = await Peers.start();
  });
  afterAll(() => peers.stop());

  describe.each(formats)("objects wanted by their ids (%s)", (format) => {
    let made: Awaited<ReturnType<typeof withdrawn>>;
    beforeAll(async () => {
      made = await withdrawn(format);
    });

    const want = (url: string, ...ids: string[]) =>
      ask(
        url,
        commandOf(format, "fetch", [
          ...ids.map((id) => `want ${id}`),
          "filter blob:none",
          "no-progress",
          "done",
        ]),
      );

    it("a partial clone reads old files and trees as it needs them", async () => {
      const { pair, work } = made;
      const folder = join(await peers.folders.make(), "copy");
      await git(work.folder, ["clone", "-q", "--filter=tree:0", "--no-checkout", pair.urls[0], folder]);
      expect(await git(folder, ["log", "-p", "--format=%s"])).toBe(
        await work.git("log", "-p", "--format=%s"),
      );
      expect(await git(folder, ["show", "main~3:dir/3.txt"])).toBe("3 in dir");
      await git(folder, ["checkout", "-q", "main~4"]);
      await git(folder, ["fsck", "--full"]);
    });

    it("what no ref leads to is refused: commits, trees and single files", async () => {
      const { pair, work, secret } = made;
      for (const name of [secret, `${secret}^{tree}`, `${secret}:secret`, `${secret}:secret/key.txt`]) {
        const id = await work.git("rev-parse", name);
        expect((await readAnswer(await want(pair.urls[0], id))).error).toContain(`not our ref ${id}`);
      }
      const there = await work.git("rev-parse", "main~5:a.txt");
      const refused = await work.git("rev-parse", `${secret}:secret/key.txt`);
      const mixed = await readAnswer(await want(pair.urls[0], there, refused));
      expect(mixed.error).toContain(`not our ref ${refused}`);
    });

    it("many files at once are looked for in one walk, which the next request goes on with", async () => {
      const { pair, work } = made;
      const files = (await work.git("ls-tree", "-r", "--object-only", "main")).split("\n");
      expect(files).toHaveLength(9);
      const first = await readAnswer(await want(pair.urls[0], ...files));
      expect(first.error).toBeUndefined();
      expect(first.pack.readUInt32BE(8)).toBe(9);
      const { result, usage } = await measured(async () =>
        readAnswer(await want(pair.urls[0], files[3] as string)),
      );
      expect(result.pack.readUInt32BE(8)).toBe(1);
      expect(usage.blobReads).toBe(0);
    });

    it("refs that the service keeps for itself are not shown, nor what only they lead to given out", async () => {
      const { pair, work, secret } = made;
      const [url] = pair.urls;
      const hidden = `${hiddenPrefix}kept`;
      const tip = await work.git("rev-parse", "main~5");
      const pushed = await commitPush(peers.server.forge, pair.id, {
        changes: [
          { name: hidden, new: secret },
          { name: "refs/pull/1/head", new: tip },
        ],
        isAtomic: true,
        pusherId: 7,
      });
      expect(pushed.kind).toBe("done");
      for (const version of ["0", "2"]) {
        expect(await remoteRefs(url, "-c", `protocol.version=${version}`)).toEqual([
          `${await work.git("rev-parse", "main")} refs/heads/main`,
          `${tip} refs/pull/1/head`,
        ]);
      }
      const client = await peers.folders.make();
      await git(client, ["init", "-q", "--bare", `--object-format=${format}`]);
      await git(client, ["fetch", "-q", url, "refs/pull/1/head"]);
      expect(await git(client, ["rev-parse", "FETCH_HEAD"])).toBe(tip);
      for (const name of [hidden, secret])
        expect((await tryGit(client, ["fetch", "-q", url, name])).code).not.toBe(0);
      const byName = await readAnswer(
        await ask(url, commandOf(format, "fetch", [`want-ref ${hidden}`, "done"])),
      );
      expect(byName.error).toContain("unknown ref");
      const excluding = commandOf(format, "fetch", [`want ${tip}`, `deepen-not ${hidden}`, "done"]);
      expect((await readAnswer(await ask(url, excluding))).error).toContain("there is no ref");
      const all = await git(client, ["clone", "-q", "--mirror", url, "all.git"]).then(() =>
        join(client, "all.git"),
      );
      expect((await tryGit(all, ["cat-file", "-e", secret])).code).not.toBe(0);
    });
  });
}
