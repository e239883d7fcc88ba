import { expect, it } from "vitest";
import type { PackSet } from "#core/git/pack/pack-set";
import { Negotiation } from "#core/git/protocol/negotiation";
import { packsOf } from "#tests/git/memory/pack-sets";
import { makeCommit } from "#tests/git/store/made-objects";

it("wanted and offered files and trees are settled without being read", async () => {
  const commit = makeCommit("sha1");
  const packs = await packsOf("sha1", commit.objects);
  const read: string[] = [];
  const watched = Object.assign(Object.create(packs) as PackSet, {
    read: (place: number) => {
      read.push(packs.typeOf(place));
      return packs.read(place);
    },
  });
  const ids = commit.pack.ids.filter((id) => id !== commit.id);
  expect(ids).toHaveLength(2);
  const negotiation = new Negotiation(async () => watched, [...ids, commit.id]);
  for (const id of ids) expect(await negotiation.offer(id)).toBe(true);
  expect(await negotiation.isReady()).toBe(false);
  expect(await negotiation.offer(commit.id)).toBe(true);
  expect(await negotiation.isReady()).toBe(true);
  expect(new Set(read)).toEqual(new Set(["commit"]));
});
