import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { archivesPartition } from "#core/code/archive.table";
import { findKeptArchive, keepArchive } from "#core/code/internal/kept-archives";
import type { Forge } from "#core/forge";
import { temporaryFolder } from "#tests/git/pack/real-git";
import { makeForge, type TestForge } from "#tests/support/forge";

const mebibyte = 2 ** 20;
const mostBytes = 4 * mebibyte;
const repositoryId = 7;
let test: TestForge;
let path: string;

beforeEach(async () => {
  test = await makeForge({ settings: { ARCHIVE_KEPT_BYTES: String(mostBytes) } });
  path = join(await temporaryFolder(), "archive");
  await writeFile(path, Buffer.alloc(mebibyte));
});
afterEach(() => test.stop());

const keep = (name: string, forge: Forge = test.forge) => {
  test.clock.advance(1_000);
  return keepArchive(forge, { repositoryId, name, path, sizeBytes: mebibyte, kind: "zip" });
};

/** The archives according to the table, and those in the bucket. */
async function counted() {
  const items = await test.forge.table.queryAll({ pk: archivesPartition(repositoryId) });
  const objects: string[] = [];
  for await (const { key } of test.forge.blobs.list(`archives/${repositoryId}/`)) objects.push(key);
  return { items: items.map(({ objectKey }) => String(objectKey)).sort(), objects: objects.sort() };
}

const names = async (asked: readonly string[]) => {
  const found = await Promise.all(asked.map((name) => findKeptArchive(test.forge, repositoryId, name)));
  return asked.filter((_, at) => found[at] !== undefined).join("");
};

describe("keepArchive (ARCHIVE_KEPT_BYTES)", () => {
  it("lets the oldest go first; what is read at the moment stays for a quarter of an hour", async () => {
    const first = await keep("a");
    for (const name of ["b", "c", "d", "e", "f"]) await keep(name);
    expect(await names([..."abcdef"])).toBe("cdef");
    expect((await test.forge.blobs.get(first.objectKey)).length).toBe(mebibyte);
    test.clock.advance(15 * 60_000);
    await keep("g");
    expect(await names([..."abcdefg"])).toBe("defg");
    const { items, objects } = await counted();
    expect([objects.length, objects]).toEqual([5, items]);
    await expect(test.forge.blobs.get(first.objectKey)).rejects.toThrow();
  });

  it("never holds more than twice the bound: refuses until what made room is a minute old, then removes it", async () => {
    for (const name of "abcdefgh") await keep(name);
    await expect(keep("i")).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 60 });
    const full = await counted();
    expect([full.objects.length, full.items]).toEqual([8, full.objects]);
    test.clock.advance(60_000);
    await keep("i");
    const after = await counted();
    expect([after.objects.length, after.items]).toEqual([8, after.objects]);
    expect(await names([..."abcdefghi"])).toBe("fghi");
  });

  it("leaves nothing uncounted, whichever of its writes is the last before a crash, and removes it later", async () => {
    for (const store of ["putFile", "transact"] as const) {
      const crash = () => Promise.reject(new Error("crash"));
      const blobs = { ...test.forge.blobs, remove: crash, ...(store === "putFile" && { putFile: crash }) };
      const table = { ...test.forge.table, ...(store === "transact" && { transact: crash }) };
      await expect(keep("x", { ...test.forge, blobs, table })).rejects.toThrow("crash");
      const { items, objects } = await counted();
      expect(items).toEqual(expect.arrayContaining(objects));
    }
    test.clock.advance(3_600_000);
    const kept = await keep("x");
    expect(await counted()).toEqual({ items: [kept.objectKey], objects: [kept.objectKey] });
  });

  it("by several at once of one name leaves one object; of several names none beyond twice the bound", async () => {
    const same = await Promise.all(Array.from({ length: 3 }, () => keep("same")));
    expect(new Set(same.map(({ objectKey }) => objectKey)).size).toBe(1);
    expect(await counted()).toEqual({ items: [same[0]?.objectKey], objects: [same[0]?.objectKey] });
    await Promise.all([..."abcdef"].map((name) => keep(name)));
    const { items, objects } = await counted();
    expect([objects.length, objects]).toEqual([7, items]);
    await keep("g");
    expect((await names([..."abcdefg"])).length).toBe(4);
  });

  it("makes anew what is twenty hours old, and removes the old object", async () => {
    const first = await keep("a");
    test.clock.advance(20 * 3_600_000);
    expect(await names(["a"])).toBe("");
    const second = await keep("a");
    expect(second.objectKey).not.toBe(first.objectKey);
    test.clock.advance(15 * 60_000);
    await keep("b");
    expect((await counted()).objects).not.toContain(first.objectKey);
  });
});
