import { describe, expect, it } from "vitest";
import type { RepositoryAccess } from "#core/access/repository-access";
import {
  type Artifact,
  artifactKey,
  artifactNameKey,
  artifactObjects,
  objectsOfUpload,
} from "#core/artifact/artifact.table";
import { confirmArtifact } from "#core/artifact/confirm";
import { openArtifact } from "#core/artifact/open";
import { addArtifactPiece } from "#core/artifact/pieces";
import { sweepArtifacts } from "#core/artifact/sweep";
import { Spooled } from "#core/capacity/spooled";
import { artifactSequenceKey } from "#core/ids";
import { artifactIndexPartition, entryKey } from "#core/list-index/list-index.table";
import { sizedThingKey } from "#core/quota/quota.table";
import { cardKey } from "#core/repository/repository.table";
import { put, remove } from "#core/table/write";
import { type CheckedWorld, checkedPlace, findAndMend, together, type Violation } from "./make.ts";

let artifact: Artifact;

async function begin(world: CheckedWorld): Promise<RepositoryAccess> {
  const { forge } = world;
  const made = await world.makeRepository();
  const upload = await openArtifact(forge, made.repository.id, { runId: 7, name: "logs" });
  const content = new Spooled({ bytes: Buffer.from("zipped") }, 6, (_bytes, work) => work());
  await addArtifactPiece(forge, upload, "appended", content);
  artifact = await confirmArtifact(forge, upload, {});
  return made;
}
const place = checkedPlace(begin);
const { id } = place;
const oldObject = () => `${objectsOfUpload({ repositoryId: id(), number: 9, upload: 1 })}old`;

const ofArtifacts: Violation[] = [
  {
    what: "an artifact whose run has no name for it",
    invariants: [41],
    plant: () => place.world.write(remove(artifactNameKey(artifact))),
  },
  {
    what: "a name that leads to no artifact",
    invariants: [41],
    plant: () =>
      place.world.write(
        put({ ...artifactNameKey({ repositoryId: id(), runId: 7, name: "gone" }), number: 99, _v: 1 }),
      ),
  },
  {
    what: "an artifact that is not listed by its size",
    invariants: [43],
    plant: () => place.world.write(remove(sizedThingKey(id(), "artifacts", artifact))),
  },
  {
    what: "a row by size of an artifact that is gone",
    invariants: [43],
    plant: () => {
      const gone = { id: 5, sizeBytes: 8 };
      return place.world.write(put({ ...sizedThingKey(id(), "artifacts", gone), ...gone, _v: 1 }));
    },
  },
  {
    what: "a card that counts artifacts wrong",
    invariants: [18],
    plant: () =>
      place.world.set(cardKey(place.world.actor.user.id, id()), { artifacts: 3, artifactBytes: 2 }),
  },
  {
    what: "a list index without the artifact",
    invariants: [10],
    plant: () => place.world.write(remove(entryKey(artifactIndexPartition(id()), 1))),
  },
  {
    what: "a counter that is gone",
    invariants: [9],
    plant: () => place.world.write(remove(artifactSequenceKey(id()))),
  },
  {
    what: "a file that is not there",
    isLeft: true,
    invariants: [21],
    plant: () => place.world.forge.blobs.remove([artifact.objectKey ?? ""]),
  },
  {
    what: "an old object that nothing names, and nothing will look at",
    needsOwn: true,
    invariants: [21],
    plant: async () => {
      await place.world.forge.blobs.put(oldObject(), Buffer.from("old"));
      place.world.test.clock.advance(3 * 24 * 3_600_000);
    },
  },
];

describe("checkRepository", () => {
  it.each(together(ofArtifacts))("finds and mends %s", async (_what, violation) => {
    if (violation.needsOwn) await place.renew();
    await findAndMend(place.world.forge, id(), violation);
  });

  it("has the old object removed by the next tick, and no other", async () => {
    await sweepArtifacts(place.world.forge);
    const left: string[] = [];
    for await (const { key } of place.world.forge.blobs.list(artifactObjects(artifact.repositoryId)))
      left.push(key);
    expect(left).toEqual([artifact.objectKey]);
    expect(await place.world.forge.table.get(artifactKey(artifact.repositoryId, 1))).toEqual(artifact);
  });
});
