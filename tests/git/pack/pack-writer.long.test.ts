import * as fs from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import isomorphicGit from "isomorphic-git";
import { beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { PackCaches } from "#core/git/pack/pack-caches";
import { selectAll, selectPlaces } from "#core/git/pack/pack-selection";
import { openPackSet, type PackSet } from "#core/git/pack/pack-set";
import { type WritePackOptions, writePack } from "#core/git/pack/pack-writer";
import { MemoryPackFiles } from "#tests/git/memory/pack-files";
import { generateRepository } from "#tests/support/git/git-generator";
import { createRandom } from "#tests/support/random";
import { taken } from "../ingest/taken.ts";
import { bareRepository, git, gitText, packOfRevisions, temporaryFolder } from "./real-git.ts";

async function written(options: WritePackOptions): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writePack(options)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The ids in a pack, after git has checked it. */
async function idsByGit(
  format: ObjectFormat,
  pack: Buffer,
  options: string[] = ["--strict"],
): Promise<string[]> {
  const folder = await bareRepository(format);
  await git(folder, ["index-pack", "--stdin", ...options], pack);
  const [name] = (await readdir(join(folder, "objects/pack"))).filter((file) => file.endsWith(".idx"));
  const index = await readFile(join(folder, "objects/pack", name as string));
  const lines = (await gitText(folder, ["show-index", `--object-format=${format}`], index)).split("\n");
  return lines.map((line) => line.split(" ")[1] as string).sort();
}

describe.each<ObjectFormat>(["sha1", "sha256"])("writePack of %s packs", (format) => {
  let repository: string;
  let packs: PackSet;
  let reachable: (...revisions: string[]) => Promise<string[]>;
  const files = new MemoryPackFiles();

  beforeAll(async () => {
    repository = join(await temporaryFolder("file"), "generated");
    await generateRepository({ folder: repository, objects: 1500, format });
    reachable = async (...revisions) => {
      const list = await gitText(repository, ["rev-list", "--objects", "--no-object-names", ...revisions]);
      return list.split("\n").sort();
    };
    const temporary = await temporaryFolder("file");
    const entries: Awaited<ReturnType<MemoryPackFiles["store"]>>[] = [];
    for (const range of [["main~200"], ["main~100", "^main~200"], ["main", "^main~100"]]) {
      const known = await openPackSet(files, format, entries, new PackCaches());
      const thin = await packOfRevisions(repository, range, ["--thin", "--no-reuse-delta"]);
      const pack = await taken(format, thin, {
        temporaryFolder: temporary,
        findBases: async (ids) =>
          new Map(await Promise.all(ids.map(async (id) => [id, await known.read(id)] as const))),
      });
      entries.push(await files.store(pack));
      await pack.dispose();
    }
    packs = await openPackSet(files, format, entries, new PackCaches());
  });

  const placesOf = (ids: readonly string[]) => ids.map((id) => packs.find(id) as number);

  it("sends one whole pack as it lies", async () => {
    const sent = await written({
      packSet: packs,
      selection: [{ pack: 0, positions: "all" }],
      useOfsDelta: true,
    });
    expect(sent.equals(files.objects.get(`${packs.packs[0]?.entry.key}.pack`) as Buffer)).toBe(true);
  });

  it.each([true, false])("joins all packs without doubles (ofs-delta %s)", async (useOfsDelta) => {
    const sent = await written({ packSet: packs, selection: selectAll(packs), useOfsDelta });
    expect(await idsByGit(format, sent)).toEqual(await reachable("main"));
    const stored = packs.packs.reduce((sum, { entry }) => sum + entry.packBytes, 0);
    expect(sent.length, "deltas stay deltas").toBeLessThan(stored * 1.1);
  });

  it.each([true, false])(
    "sends what is selected, whole where its base stays (ofs-delta %s)",
    async (useOfsDelta) => {
      const random = createRandom();
      const all = await reachable("main");
      for (let round = 0; round < 5; round++) {
        const kept = random.chance(0.3) ? 0.05 : 0.7;
        const ids = all.filter(() => random.chance(kept));
        const selection = selectPlaces(packs, placesOf(ids));
        if (random.chance(0.5)) selection.reverse();
        const sent = await written({ packSet: packs, selection, useOfsDelta });
        expect(await idsByGit(format, sent, []), `seed ${random.seed}`).toEqual(ids);
      }
    },
  );

  it.each([true, false])("sends thin what the client has the base of (ofs-delta %s)", async (useOfsDelta) => {
    const wanted = await reachable("main", "^main~100");
    const known = new Set(placesOf(await reachable("main~100")));
    const selection = selectPlaces(packs, placesOf(wanted));
    const thin = await written({ packSet: packs, selection, thinBases: known, useOfsDelta });
    const full = await written({ packSet: packs, selection, useOfsDelta });
    expect(thin.length).toBeLessThan(full.length);
    const client = await bareRepository(format);
    await git(client, ["index-pack", "--stdin"], await packOfRevisions(repository, ["main~100"]));
    await git(client, ["index-pack", "--stdin", "--fix-thin"], thin);
    await git(client, ["update-ref", "refs/heads/main", await gitText(repository, ["rev-parse", "main"])]);
    await git(client, ["fsck", "--full", "--strict"]);
    expect(await idsByGit(format, full, [])).toEqual(wanted);
  });

  it("never sends thin what the client lacks the base of", async () => {
    const wanted = await reachable("main", "^main~100");
    const none = { has: () => false };
    const selection = selectPlaces(packs, placesOf(wanted));
    const sent = await written({ packSet: packs, selection, thinBases: none, useOfsDelta: true });
    expect(await idsByGit(format, sent, [])).toEqual(wanted);
  });

  it("stops asking the store when its reader leaves", async () => {
    const before = files.requests;
    for await (const piece of writePack({ packSet: packs, selection: selectAll(packs), useOfsDelta: true })) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(files.requests - before).toBeLessThanOrEqual(1);
  });
});

describe("writePack and isomorphic-git", () => {
  it("makes packs that isomorphic-git indexes and reads", async () => {
    const repository = join(await temporaryFolder(), "generated");
    await generateRepository({ folder: repository, objects: 300 });
    const files = new MemoryPackFiles();
    const pack = await taken("sha1", await packOfRevisions(repository, ["main"]));
    const packs = await openPackSet(files, "sha1", [await files.store(pack)], new PackCaches());
    const ids = (await gitText(repository, ["rev-list", "--objects", "--no-object-names", "main"])).split(
      "\n",
    );
    const half = ids.filter((_, at) => at % 2 === 0);
    const places = half.map((id) => packs.find(id) as number);
    const sent = await written({ packSet: packs, selection: selectPlaces(packs, places), useOfsDelta: true });
    const dir = await temporaryFolder();
    await isomorphicGit.init({ fs, dir });
    await mkdir(join(dir, ".git/objects/pack"), { recursive: true });
    await writeFile(join(dir, ".git/objects/pack/pack-1.pack"), sent);
    const { oids } = await isomorphicGit.indexPack({ fs, dir, filepath: ".git/objects/pack/pack-1.pack" });
    expect(oids.sort()).toEqual([...half].sort());
    for (const oid of half.slice(0, 40)) {
      const { object } = await isomorphicGit.readObject({ fs, dir, oid, format: "content" });
      expect(Buffer.from(object as Uint8Array).equals((await packs.read(oid)).data)).toBe(true);
    }
  });
});
