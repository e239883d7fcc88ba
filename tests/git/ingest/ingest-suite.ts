import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { typeOfCode } from "#core/git/format/object-type";
import { openPackSet } from "#core/git/pack/pack-set";
import { MemoryPackFiles } from "#tests/git/memory/pack-files";
import { generateRepository } from "#tests/support/git/git-generator";
import { bareRepository, git, gitText, packOfRevisions, temporaryFolder } from "../pack/real-git.ts";
import { inPieces, take, taken } from "./taken.ts";

/** Packs that are taken in, compared with what git makes of them. */
export function describeIngest(formats: readonly ObjectFormat[]): void {
  describe.each(formats)("ingestPack of %s packs", (format) => {
    let repository: string;
    let pack: Buffer;

    beforeAll(async () => {
      repository = join(await temporaryFolder("file"), "generated");
      await generateRepository({ folder: repository, objects: 1500, format });
      pack = await packOfRevisions(repository, ["main"]);
    });

    it.each([
      ["ofs-deltas", ["--delta-base-offset"]],
      ["ref-deltas", ["--no-delta-base-offset"]],
      ["whole objects", ["--window=0", "--no-reuse-delta"]],
    ])("indexes %s byte for byte as git index-pack does", async (_name, options) => {
      const sent = await packOfRevisions(repository, ["main"], options);
      const folder = await temporaryFolder();
      await writeFile(join(folder, "sent.pack"), sent);
      await git(repository, ["index-pack", join(folder, "sent.pack")]);
      const result = await taken(format, sent);
      expect(result.sideFile.index.bytes.equals(await readFile(join(folder, "sent.idx")))).toBe(true);
      expect((await readFile(result.packPath)).equals(sent)).toBe(true);
      expect(result.packChecksum).toBe(sent.subarray(-result.sideFile.index.idBytes).toString("hex"));
      expect(result.outside.count).toBe(0);
    });

    it("knows each object's kind and size as git cat-file does", async () => {
      const { sideFile } = await taken(format, pack);
      const ids = Array.from({ length: sideFile.count }, (_, at) => sideFile.idAt(at).toString("hex"));
      const facts = ids.map(
        (id, at) => `${id} ${typeOfCode(sideFile.typeCodeAt(at))} ${sideFile.sizeAt(at)}`,
      );
      const real = await gitText(repository, ["cat-file", "--batch-check"], `${ids.join("\n")}\n`);
      expect(facts.join("\n")).toBe(real);
    });

    it("knows each delta's base as git verify-pack does", async () => {
      const folder = await temporaryFolder();
      await writeFile(join(folder, "sent.pack"), pack);
      await git(repository, ["index-pack", join(folder, "sent.pack")]);
      const words = await gitText(repository, ["verify-pack", "-v", join(folder, "sent.idx")]);
      const real = new Map<string, string | undefined>();
      for (const line of words.split("\n")) {
        const [id, kind, , , , , base] = line.split(/\s+/);
        if (id !== undefined && kind !== undefined && /^(?:commit|tree|blob|tag)$/.test(kind))
          real.set(id, base);
      }
      const { sideFile } = await taken(format, pack);
      const ours = new Map<string, string | undefined>();
      for (let at = 0; at < sideFile.count; at++) {
        const base = sideFile.baseAt(at);
        ours.set(
          sideFile.idAt(at).toString("hex"),
          base < 0 ? undefined : sideFile.idAt(base).toString("hex"),
        );
      }
      expect(ours).toEqual(real);
    });

    it.each([1, 7, 4099])("gives the same from pieces of %i bytes", async (pieceBytes) => {
      const small = await packOfRevisions(repository, ["main~250"]);
      const whole = await taken(format, small);
      const inSmallPieces = await taken(format, small, { pieceBytes });
      expect(inSmallPieces.side.equals(whole.side)).toBe(true);
    });

    it("completes a thin pack with bases from the repository, and names what lies outside it", async () => {
      const files = new MemoryPackFiles();
      const old = await taken(format, await packOfRevisions(repository, ["main~40"]));
      const known = await openPackSet(files, format, [await files.store(old)]);
      const thin = await packOfRevisions(repository, ["main", "^main~40"], ["--thin", "--no-reuse-delta"]);
      const asked: string[][] = [];
      const result = await taken(format, thin, {
        findBases: async (ids) => {
          asked.push(ids);
          const places = ids.map((id) => known.find(id)).filter((place) => place !== undefined);
          const objects = await known.readMany(places);
          return new Map(places.map((place, at) => [known.idOf(place), objects[at] as never]));
        },
      });
      expect(asked).toHaveLength(1);
      expect(result.appendedCount).toBe(asked[0]?.length);
      expect(result.appendedCount).toBeGreaterThan(0);
      const receiver = await bareRepository(format);
      const stored = await readFile(result.packPath);
      expect(await gitText(receiver, ["index-pack", "--stdin"], stored)).toContain(result.packChecksum);

      const parents = await gitText(repository, ["rev-parse", "main~40"]);
      const { outside, sideFile } = result;
      const ids = Array.from({ length: outside.count }, (_, at) =>
        outside.ids.subarray(at * sideFile.index.idBytes, (at + 1) * sideFile.index.idBytes).toString("hex"),
      );
      expect(ids).toContain(parents);
      expect(ids.every((id) => known.has(id) && !result.has(id))).toBe(true);
      expect(ids).toEqual([...new Set(ids)].sort());
      const types = ids.map((_, at) => typeOfCode(outside.types[at] as number));
      expect(types).toEqual(ids.map((id) => known.typeOf(known.find(id) as number)));
    });

    it("asks for the rest of the bases when not all come at once, and tells which one is missing", async () => {
      const files = new MemoryPackFiles();
      const old = await taken(format, await packOfRevisions(repository, ["main~40"]));
      const known = await openPackSet(files, format, [await files.store(old)]);
      const thin = await packOfRevisions(repository, ["main", "^main~40"], ["--thin", "--no-reuse-delta"]);
      const asked: string[] = [];
      const atMost = (most: number) => async (ids: string[]) => {
        const given = ids.filter((id) => known.has(id)).slice(0, most);
        asked.push(given[0] ?? "none");
        return new Map(await Promise.all(given.map(async (id) => [id, await known.read(id)] as const)));
      };
      const whole = await taken(format, thin, { findBases: atMost(1_000) });
      asked.length = 0;
      const oneByOne = await taken(format, thin, { findBases: atMost(1) });
      expect(asked).toHaveLength(whole.appendedCount);
      expect(oneByOne.side.equals(whole.side)).toBe(true);
      const last = asked.at(-1) ?? "";
      const without = async (ids: string[]) =>
        new Map([...(await atMost(1_000)(ids))].filter(([id]) => id !== last));
      expect(await take(format, thin, { findBases: without })).toMatchObject({
        reason: { kind: "missing-base", id: last },
      });
    });

    it("leaves gitlinks out of what has to be there", async () => {
      const folder = await bareRepository(format);
      const commit = await gitText(repository, ["rev-parse", "main"]);
      const tree = await gitText(folder, ["mktree", "--missing"], `160000 commit ${commit}\tsub\n`);
      const result = await taken(format, await git(folder, ["pack-objects", "--stdout", "-q"], `${tree}\n`));
      expect(result.outside.count).toBe(0);
    });

    it("reads objects of the fresh pack, and removes its file when told", async () => {
      const folder = await temporaryFolder();
      const result = await taken(format, pack, { temporaryFolder: folder });
      const id = await gitText(repository, ["rev-parse", "main"]);
      expect(result.has(id)).toBe(true);
      expect((await result.read(id))?.data.equals(await git(repository, ["cat-file", "commit", id]))).toBe(
        true,
      );
      expect(await result.read("0".repeat(id.length))).toBeUndefined();
      await result.dispose();
      await result.dispose();
      expect(await readdir(folder)).toEqual([]);
    });

    it("takes an empty pack", async () => {
      const empty = await git(repository, ["pack-objects", "--stdout", "-q"]);
      expect(await take(format, empty)).toMatchObject({ ok: true, pack: { objectCount: 0 } });
    });

    it("stops at once when aborted while it waits for the source", async () => {
      const folder = await temporaryFolder();
      const abort = new AbortController();
      async function* stalled() {
        yield* inPieces(pack.subarray(0, 1000), 100);
        abort.abort();
        await new Promise(() => undefined);
      }
      const result = await take(format, pack, {
        temporaryFolder: folder,
        signal: abort.signal,
        source: stalled(),
      });
      expect(result).toMatchObject({ ok: false, reason: { kind: "aborted" } });
      expect(await readdir(folder)).toEqual([]);
    });
  });
}
