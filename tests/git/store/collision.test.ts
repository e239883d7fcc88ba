import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { findCollision } from "#core/git/ingest/find-collision";
import type { NewPack } from "#core/git/pack/new-pack";
import { PackCaches } from "#core/git/pack/pack-caches";
import { openPackSet } from "#core/git/pack/pack-set";
import { buildSideFile, SideFile } from "#core/git/pack/side-file";
import { commitPush } from "#core/git/store/push/commit-push";
import { newRoot, openRepository } from "#core/git/store/store";
import { MemoryPackFiles } from "#tests/git/memory/pack-files";
import { makeForge, type TestForge } from "#tests/support/forge";
import { makePack } from "#tests/support/git/make-pack";
import { makeCommit } from "./made-objects.ts";

let made: TestForge;
beforeAll(async () => {
  made = await makeForge();
});
afterAll(() => made.stop());

const blob = (data: Buffer): GitObject => ({ type: "blob", data });

/** A pack of one object that goes by the id of another: as though somebody had found two contents with one hash. */
function forged(format: ObjectFormat, object: GitObject, id: ObjectId): NewPack & { side: Buffer } {
  const honest = makePack(format, [object]);
  const side = new SideFile(honest.side);
  const content = honest.content as Buffer;
  return {
    ...honest,
    side: buildSideFile({
      format,
      count: 1,
      ids: Buffer.from(id, "hex"),
      crcs: Uint32Array.of(0),
      offsets: Float64Array.of(side.offsetAt(0)),
      types: Uint8Array.of(side.typeCodeAt(0)),
      sizes: Uint32Array.of(side.sizeAt(0)),
      bases: Int32Array.of(-1),
      byPosition: Uint32Array.of(0),
      appendedCount: 0,
      packBytes: honest.packBytes,
      packChecksum: content.subarray(-id.length / 2),
    }),
    read: async (asked) => (asked === id ? object : undefined),
  };
}

async function holding(format: ObjectFormat, packs: readonly NewPack[]) {
  const files = new MemoryPackFiles();
  const entries = packs.map((pack) => files.put(pack.content as Buffer, pack.side as Buffer, pack.objects));
  return openPackSet(files, format, entries, new PackCaches());
}

const firsts = Buffer.from("what was here first");
const others = Buffer.from("what came afterward");
const [id = ""] = makePack("sha1", [blob(firsts)]).ids;

describe("findCollision", () => {
  it.each<[string, GitObject]>([
    ["other bytes", blob(others)],
    ["another size", blob(Buffer.from("short"))],
    ["another kind", { type: "tree", data: Buffer.alloc(0) }],
  ])("finds an object with %s under a known id", async (_, object) => {
    const known = await holding("sha1", [
      makePack("sha1", [blob(Buffer.from("x"))]),
      makePack("sha1", [blob(firsts)]),
    ]);
    expect(await findCollision(forged("sha1", object, id), known)).toBe(id);
  });

  it("finds it among large objects too, in pieces", async () => {
    const large = Buffer.alloc(17 * 2 ** 20, "all work and no play\n");
    const changed = Buffer.from(large);
    changed[large.length - 2] = 0x21;
    const honest = makePack("sha1", [blob(large)]);
    const known = await holding("sha1", [honest]);
    expect(await findCollision(honest, known)).toBeUndefined();
    expect(await findCollision(forged("sha1", blob(changed), honest.ids[0] ?? ""), known)).toBe(
      honest.ids[0],
    );
  });

  it("is silent where the same comes twice, or nothing is shared", async () => {
    const commit = makeCommit("sha1");
    const known = await holding("sha1", [commit.pack, makeCommit("sha1").pack]);
    expect(await findCollision(commit.pack, known)).toBeUndefined();
    expect(await findCollision(makeCommit("sha1").pack, known)).toBeUndefined();
  });
});

describe("a push with an object that is here with other bytes", () => {
  it("is refused whole and leaves nothing; what was first stays", async () => {
    const repositoryId = 4_000_001;
    await made.forge.table.write(newRoot(repositoryId, { format: "sha1", defaultBranch: "main" }));
    const push = (name: string, tip: ObjectId, pack: NewPack) =>
      commitPush(made.forge, repositoryId, { changes: [{ name, new: tip }], pusherId: 1, pack });
    await push("refs/tags/first", id, makePack("sha1", [blob(firsts)]));
    const outcome = await push("refs/tags/second", id, forged("sha1", blob(others), id));
    expect(outcome).toMatchObject({
      kind: "done",
      results: [{ refusal: expect.stringContaining(`object ${id} is here already with other content`) }],
    });
    const repository = await openRepository(made.forge, repositoryId);
    expect(repository?.root.packs).toHaveLength(1);
    expect((await (await repository?.packs())?.read(id))?.data.equals(firsts)).toBe(true);
  });
});
