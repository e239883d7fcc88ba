import { expect, it } from "vitest";
import type { ObjectId } from "#core/git/format/object-format";
import { leadsToAllRefs } from "#core/git/history/select/leads-to-all-refs";
import type { PackSet, Place } from "#core/git/pack/pack-set";
import { RefTable } from "#core/git/refs/ref-table";
import { packsOf } from "#tests/git/memory/pack-sets";
import { makeCommit } from "#tests/git/store/made-objects";

const refsTo = (...ids: ObjectId[]) =>
  new RefTable(ids.map((id, at) => ({ name: `refs/heads/${at}`, id, pusherId: 1, updatedMs: 0 })));

it("leadsToAllRefs: a branch leads to merged heads and not to open ones; asked again, nothing is read", async () => {
  const first = makeCommit("sha1");
  const second = makeCommit("sha1", [first.id]);
  const third = makeCommit("sha1", [second.id]);
  const open = makeCommit("sha1", [first.id]);
  const objects = [first, second, third, open].flatMap((made) => made.objects);
  const packs = await packsOf("sha1", objects);
  const read: string[] = [];
  const watched = Object.assign(Object.create(packs) as PackSet, {
    readCached(place: Place) {
      read.push(packs.typeOf(place));
      return packs.readCached(place);
    },
    read: (place: Place) => packs.read(place),
  });
  const merged = refsTo(third.id, second.id, first.id);
  expect(await leadsToAllRefs(watched, merged, [third.id])).toBe(true);
  expect(read).toEqual(["commit", "commit", "commit"]);
  expect(await leadsToAllRefs(watched, merged, [third.id])).toBe(true);
  expect(read).toHaveLength(3);
  expect(await leadsToAllRefs(watched, merged, [second.id])).toBe(false);
  expect(await leadsToAllRefs(watched, refsTo(third.id, open.id), [third.id])).toBe(false);
  expect(await leadsToAllRefs(watched, refsTo(third.id, open.id), [third.id, open.id])).toBe(true);
  expect(await leadsToAllRefs(watched, refsTo(third.id, third.treeId), [third.id])).toBe(false);
});
