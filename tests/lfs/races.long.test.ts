import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessById } from "#core/access/repository-access";
import { isForgeError } from "#core/errors";
import type { Forge } from "#core/forge";
import { endSomeLfsObjects } from "#core/lfs/end";
import { type LfsObject, lfsFile, lfsObjectKey, lfsObjectsOf } from "#core/lfs/lfs.table";
import { linkUploaded, shareLfsObjects } from "#core/lfs/link";
import { sweepLfs } from "#core/lfs/sweep";
import { openLfsUpload, verifyLfsObject } from "#core/lfs/upload";
import { readQuota } from "#core/quota/quota";
import { editRepository } from "#core/repository/edit";
import { removeRepository } from "#core/repository/removal/remove";
import {
  cardPrefix,
  ownerPartition,
  type Repository,
  type RepositoryCard,
} from "#core/repository/repository.table";
import { startTransfer } from "#core/repository/transfer/transfer";
import { tick } from "#functions/workers/tick";
import { makeRepository } from "#tests/support/code";
import { findingsOf } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { interleave } from "#tests/support/race/interleave";
import { createRandom } from "#tests/support/random";
import { type LfsWorld, named, startLfs } from "./world.ts";

let world: LfsWorld;
beforeAll(async () => {
  world = await startLfs();
  await world.api.makeUser({ isAdmin: true });
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const day = 86_400_000;
const rounds = 8;
const random = createRandom();

/** Runs verbs at once, one request after the other in an order that a seed chooses, those to the bucket too. */
async function raceAll(...verbs: ((forge: Forge) => Promise<unknown>)[]): Promise<void> {
  const turns = interleave(world.api.forge, random);
  for (const verb of verbs) {
    const forge = turns.process({ isBucketToo: true });
    turns.start(async () => {
      await verb(forge).catch((error: unknown) => {
        if (!isForgeError(error, "not-found") && !isForgeError(error, "conflict")) throw error;
      });
    });
  }
  await turns.run();
}

/** What is left is swept; then each file is that of an object, and cards and totals say what there is. */
async function expectExact(...owners: number[]): Promise<void> {
  const { api } = world;
  await finishJobs(api);
  for (const _round of [1, 2]) {
    api.clock.advance(4 * day);
    await tick(api.forge);
  }
  expect(await findingsOf(api)).toEqual([]);
  const held = new Set<string>();
  for (const ownerId of owners) {
    const cards = await api.forge.table.queryAll<RepositoryCard>({
      ...{ pk: ownerPartition(ownerId), prefix: cardPrefix },
    });
    const objects = await Promise.all(
      cards.map((card) => api.forge.table.queryAll<LfsObject>(lfsObjectsOf(card.repositoryId))),
    );
    const bytes = objects.flat().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect((await readQuota(api.forge, ownerId)).usage.lfs).toBe(bytes);
    for (const object of objects.flat()) held.add(lfsFile(object));
  }
  expect((await world.files()).sort()).toEqual([...held].sort());
}

/** A client that puts an object where a batch told it to, and asks for it to be verified. */
const upload = (repositoryId: number, content: string, uploadId?: string) => async (forge: Forge) => {
  const { oid, size: sizeBytes } = named(content);
  const id = uploadId ?? (await openLfsUpload(forge, repositoryId));
  await forge.blobs.put(lfsFile({ oid, uploadId: id }), Buffer.from(content));
  return verifyLfsObject(forge, repositoryId, { oid, sizeBytes }, id);
};
const access = async (repositoryId: number, forge = world.api.forge) => {
  const found = await findAccessById(forge, { user: world.alice.user }, repositoryId);
  if (found === undefined) throw new Error("no access");
  return found;
};

describe("objects while something else happens", () => {
  it(`two uploads of one object, in one batch and in two, leave one file (SEED=${random.seed})`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const shared = await openLfsUpload(world.api.forge, world.id);
      await raceAll(
        upload(world.id, `twice ${round}`),
        upload(world.id, `twice ${round}`, shared),
        upload(world.id, `twice ${round}`, shared),
      );
      const { oid } = named(`twice ${round}`);
      expect(await world.objects()).toContain(oid);
    }
    await expectExact(world.alice.user.id, world.bob.user.id);
  });

  it("the sweep of an upload that comes late has it or the sweep does, never both", async () => {
    let won = 0;
    for (let round = 0; round < rounds; round += 1) {
      const content = `swept ${round}`;
      const file = { oid: named(content).oid, uploadId: await openLfsUpload(world.api.forge, world.id) };
      await world.api.forge.blobs.put(lfsFile(file), Buffer.from(content));
      world.api.clock.advance(4 * day);
      const sizeBytes = content.length;
      let isLinked = false;
      await raceAll(sweepLfs, async (forge) => {
        for (let late = 0; late < 2 * round; late += 1) await access(world.id, forge);
        isLinked = await linkUploaded(forge, world.id, { ...file, sizeBytes });
      });
      expect((await world.files()).includes(lfsFile(file))).toBe(isLinked);
      expect((await world.objects()).includes(file.oid)).toBe(isLinked);
      won += isLinked ? 1 : 0;
    }
    expect(won).toBeGreaterThan(0);
    expect(won).toBeLessThan(rounds);
    await expectExact(world.alice.user.id, world.bob.user.id);
  });

  it("a share of it while its repository loses it, and a sweep looks at its file, keeps the file", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const from = world.id;
      const { oid } = await world.upload(`lent ${from}`);
      await world.begin();
      const object = await world.api.forge.table.get<LfsObject>(lfsObjectKey(from, oid));
      if (object === undefined) throw new Error("no object");
      const actor = { user: world.alice.user };
      const { repository } = await access(from);
      await removeRepository(world.api.forge, actor, repository);
      world.api.clock.advance(4 * day);
      await raceAll(
        (forge) => shareLfsObjects(forge, world.id, [object]),
        async (forge) => {
          await endSomeLfsObjects(forge, from);
          world.api.clock.advance(2 * day);
          await sweepLfs(forge);
        },
      );
      const isShared = (await world.objects()).includes(oid);
      expect((await world.files()).includes(lfsFile(object))).toBe(isShared);
    }
    await expectExact(world.alice.user.id, world.bob.user.id);
  });

  it("its repository is renamed, given away, hidden or deleted: totals are exact, and no file is left (QM-2)", async () => {
    const { api, alice, bob } = world;
    const actor = { user: alice.user };
    const boss = { user: (await api.makeUser({ isAdmin: true })).user };
    type Verb = (forge: Forge, one: Repository) => Promise<unknown>;
    const changes: readonly Verb[] = [
      (forge, one) => editRepository(forge, actor, one, { name: `${one.name}-renamed` }),
      (forge, one) => editRepository(forge, actor, one, { isPrivate: true }),
      (forge, one) => startTransfer(forge, boss, one, { newOwner: bob.name }),
      (forge, one) => removeRepository(forge, boss, one),
    ];
    for (let round = 0; round < rounds; round += 1) {
      for (const change of changes) {
        await world.begin();
        const { id } = world;
        const { repository } = await access(id);
        await raceAll(
          upload(id, `one ${id}`),
          (forge) => change(forge, repository),
          upload(id, `other ${id}`),
        );
      }
    }
    await expectExact(alice.user.id, bob.user.id);
  });

  it("its owner is purged: nothing of it is left", async () => {
    const { api } = world;
    const boss = await api.makeUser({ isAdmin: true });
    for (let round = 0; round < 3; round += 1) {
      const owner = await api.makeUser({});
      const id = await makeRepository(api, owner, "theirs");
      await raceAll(upload(id, `purged ${round}`), async () => {
        const { status } = await api.call("DELETE", `/admin/users/${owner.name}?purge=true`, { as: boss });
        expect(status).toBe(204);
      });
      await finishJobs(api);
      expect(await world.objects(id)).toEqual([]);
      expect((await readQuota(api.forge, owner.user.id)).usage.lfs).toBe(0);
    }
    await expectExact(world.alice.user.id, world.bob.user.id);
  });
});
