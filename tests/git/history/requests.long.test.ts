import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { History } from "#core/git/history/history";
import { lastCommits } from "#core/git/history/last-commits";
import { logPage } from "#core/git/history/log";
import { mergeBases } from "#core/git/history/merge-base";
import { PackCaches } from "#core/git/pack/pack-caches";
import { openPackSet, type PackSet } from "#core/git/pack/pack-set";
import { taken } from "#tests/git/ingest/taken";
import { MemoryPackFiles } from "#tests/git/memory/pack-files";
import { gitText, packOfRevisions, temporaryFolder } from "#tests/git/pack/real-git";
import { generateRepository } from "#tests/support/git/git-generator";

describe("storage requests of walks over a pack of 12 MB", () => {
  const files = new MemoryPackFiles();
  let open: (caches?: PackCaches) => Promise<PackSet>;
  let tip: string;
  let older: string;
  let path: string;

  beforeAll(async () => {
    const folder = join(await temporaryFolder("file"), "generated");
    await generateRepository({ folder, objects: 10_000, sizeBytes: 12_000_000 });
    const entry = await files.store(
      await taken("sha1", await packOfRevisions(folder, [], ["--all"]), {
        temporaryFolder: await temporaryFolder("file"),
      }),
    );
    open = (caches = new PackCaches()) => openPackSet(files, "sha1", [entry], caches);
    tip = await gitText(folder, ["rev-parse", "main"]);
    older = await gitText(folder, ["rev-parse", "main~500"]);
    path = await gitText(folder, ["ls-tree", "--name-only", "main"]).then(
      (names) => names.split("\n")[1] as string,
    );
  });

  /** Requests of some work on a cold instance, and of the same again. */
  async function requestsOf(work: (history: History) => Promise<unknown>): Promise<[number, number]> {
    const caches = new PackCaches();
    const before = files.requests;
    await work(new History(await open(caches)));
    const cold = files.requests - before;
    await work(new History(await open(caches)));
    return [cold, files.requests - before - cold];
  }

  it("a page of a log: the side file and one block; nothing when warm", async () => {
    expect(await requestsOf((history) => logPage(history, { tips: [tip], limit: 50 }))).toEqual([2, 0]);
  });

  it("counting a log, a log with a path, merge bases, last commits: a handful, nothing when warm", async () => {
    const counted = await requestsOf((history) =>
      logPage(history, { tips: [tip], limit: 50, countAll: true }),
    );
    expect(counted[0]).toBeLessThanOrEqual(3);
    const filtered = await requestsOf((history) =>
      logPage(history, { tips: [tip], paths: [path], limit: 1_000 }),
    );
    expect(filtered[0]).toBeLessThanOrEqual(8);
    const bases = await requestsOf((history) => mergeBases(history, tip, older));
    expect(bases[0]).toBeLessThanOrEqual(3);
    const last = await requestsOf((history) => lastCommits(history, tip, ""));
    expect(last[0]).toBeLessThanOrEqual(8);
    expect([counted[1], filtered[1], bases[1], last[1]]).toEqual([0, 0, 0, 0]);
  });
});
