import { describe, expect, it } from "vitest";
import type { ObjectId } from "#core/git/format/object-format";
import { findForbiddenWant } from "#core/git/history/select/hidden-objects";
import type { PackSet } from "#core/git/pack/pack-set";
import type { GitRepository } from "#core/git/repository";
import { packsOf } from "#tests/git/memory/pack-sets";
import { memoryRepository, refsTo } from "#tests/git/memory/repository";
import { makeCommit } from "#tests/git/store/made-objects";

const length = 400;

/** A straight history of which only the newest commit has a ref, and a commit that no ref leads to. */
async function makeRepository(): Promise<{
  repository: GitRepository;
  line: ObjectId[];
  stray: ObjectId;
  reads(): number;
}> {
  const line = [makeCommit("sha1")];
  for (let at = 1; at < length; at += 1) line.push(makeCommit("sha1", [line[at - 1]?.id ?? ""]));
  const stray = makeCommit("sha1", [line[3]?.id ?? ""]);
  const packs = await packsOf(
    "sha1",
    [...line, stray].flatMap(({ objects }) => objects),
  );
  let reads = 0;
  const counted = Object.assign(Object.create(packs) as PackSet, {
    read: (target: Parameters<PackSet["read"]>[0]) => {
      reads += 1;
      return packs.read(target);
    },
  });
  const tip = line.at(-1)?.id ?? "";
  const refs = refsTo({ "refs/heads/main": tip });
  return {
    repository: memoryRepository(counted, refs, { isWhollyReachable: false }),
    line: line.map(({ id }) => id),
    stray: stray.id,
    reads: () => reads,
  };
}

describe("wants of what is no ref's", () => {
  it("are looked for in one walk, however many they are", async () => {
    const { repository, line, reads } = await makeRepository();
    expect(await findForbiddenWant(repository, line)).toBeUndefined();
    expect(reads()).toBeLessThanOrEqual(length);
  });

  it("are refused by the name of the one that no ref leads to", async () => {
    const { repository, line, stray } = await makeRepository();
    const forbidden = await findForbiddenWant(repository, [...line, stray, line[7] ?? ""]);
    expect(forbidden).toEqual({ id: stray, isCertain: true });
  });

  it("are looked for no longer than the client waits", async () => {
    const { repository, line, reads } = await makeRepository();
    const gone = AbortSignal.abort(new Error("the client has left"));
    await expect(findForbiddenWant(repository, line, gone)).rejects.toThrow("the client has left");
    expect(reads()).toBe(0);
  });
});
