import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { RepositoryAccess } from "#core/access/repository-access";
import { releaseSequenceKey } from "#core/ids";
import { entryKey, releaseIndexPartition } from "#core/list-index/list-index.table";
import { createAsset } from "#core/release/asset";
import { createRelease } from "#core/release/create";
import { findRelease } from "#core/release/release";
import { type Release, releaseKey, releaseTagKey } from "#core/release/release.table";
import { cardKey, countsKey } from "#core/repository/repository.table";
import { put, remove } from "#core/table/write";
import { type CheckedWorld, checkedPlace, findAndMend, together, type Violation } from "./make.ts";

/** A published release with an asset elsewhere. */
let release: Release;
async function begin(world: CheckedWorld): Promise<RepositoryAccess> {
  const made = await world.makeRepository();
  release = await createRelease(world.forge, made.repository, world.actor, { tagName: "v1" });
  const file = { uuid: randomUUID(), sizeBytes: 0, contentType: "text/plain" };
  const asset = { ...file, name: "a", externalUrl: "https://x.test/a" };
  await createAsset(world.forge, release, asset, world.actor);
  return made;
}
const place = checkedPlace(begin);
const { id } = place;
const key = () => releaseKey(id(), 1);

const ofReleases: Violation[] = [
  {
    what: "a release whose tag has no guard",
    invariants: [36],
    plant: () => place.world.write(remove(releaseTagKey(id(), "v1"))),
  },
  {
    what: "a guard that leads to no release",
    invariants: [36],
    plant: () =>
      place.world.write(put({ ...releaseTagKey(id(), "gone"), number: 99, tagName: "gone", _v: 1 })),
  },
  {
    what: "a release that counts its assets wrong",
    invariants: [11],
    plant: () => place.world.set(key(), { assets: 5, assetBytes: 7 }),
  },
  {
    what: "counts of a repository with a release too many",
    invariants: [11],
    plant: () => place.world.set(countsKey(id(), 0), { releases: 9 }),
  },
  {
    what: "a card that counts assets wrong",
    invariants: [18],
    plant: () =>
      place.world.set(cardKey(place.world.actor.user.id, id()), {
        releaseAttachments: 3,
        releaseAttachmentBytes: 2,
      }),
  },
  {
    what: "a list index without the release",
    invariants: [10],
    plant: () => place.world.write(remove(entryKey(releaseIndexPartition(id()), 1))),
  },
  {
    what: "a counter that is gone",
    invariants: [9],
    plant: () => place.world.write(remove(releaseSequenceKey(id()))),
  },
  {
    what: "a published release without a tag in git",
    needsOwn: true,
    invariants: [36],
    plant: async () => {
      const guard = { ...releaseTagKey(id(), "v2"), number: 1, tagName: "v2", _v: 1 };
      await place.world.write(remove(releaseTagKey(id(), "v1")));
      await place.world.write(put(guard));
      await place.world.set(key(), { tagName: "v2" });
      await place.world.write(remove(entryKey(releaseIndexPartition(id()), 1)));
      const { reindex } = await import("#core/list-index/reindex");
      const { releaseIndex } = await import("#core/release/release.index");
      expect(await reindex(place.world.forge, releaseIndex(id()), 1)).toBe(true);
    },
  },
];

describe("checkRepository", () => {
  it.each(together(ofReleases))("finds and mends %s", async (_what, violation) => {
    if (violation.needsOwn) await place.renew();
    await findAndMend(place.world.forge, id(), violation);
  });

  it("makes a release without a tag a draft, as the push did that deleted the tag", async () => {
    const found = await findRelease(place.world.forge, release.repositoryId, 1);
    expect(found).toMatchObject({ isDraft: true, hasLostTag: true, tagName: "v2" });
  });
});
