import { afterAll, beforeAll, expect, it } from "vitest";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { sweepPacks } from "#core/git/store/maintain/sweep-packs";
import { runJob } from "#core/jobs/run";
import { checkRepository } from "#core/lifecycle/check/check";
import { startDueMirrors } from "#core/mirror/due-mirrors";
import { cardKey, type RepositoryCard } from "#core/repository/repository.table";
import { jobKinds } from "#functions/workers/job-kinds";
import { killedAtEach } from "#tests/support/race/killed-at-each";
import { hashesOf, type LfsMirrors, startLfsMirrors } from "./lfs-world.ts";

let world: LfsMirrors;
beforeAll(async () => {
  world = await startLfsMirrors();
});
afterAll(() => world.stop());

/** The minute in which the mirror is due, and its worker. */
async function syncOnce(id: number, hours: number): Promise<void> {
  const { api } = world;
  api.clock.advance(hours * 3_600_000);
  await startDueMirrors(api.forge);
  await runJob(api.forge, jobKinds, `sync-mirror-${id}`, { budgetMs: 60_000 });
}

it("a mirror's sync that is killed before or after any write brings every object of Git LFS in the end, and counts it once", async () => {
  const held = ["first\n"];
  const source = await world.makeSource(held);
  const { id } = await world.bring(source.url, { mirror: true });
  let added: readonly string[] = [];
  const addTwo = async (round: number) => {
    added = [`small ${round}\n`, `${round}`.repeat(100_000)];
    held.push(...added);
    await world.add(source, added);
  };
  await addTwo(0);
  const kills = await killedAtEach(
    world.api,
    () => syncOnce(id, 9),
    async (round) => {
      processPackCaches.clear();
      await syncOnce(id, 9); // once the lease of the killed one is over
      expect([round, await world.oids(id)]).toEqual([round, hashesOf(held)]);
      const brought = hashesOf(added); // those of former rounds were read in them
      expect([round, await world.contents(id, brought)]).toEqual([round, brought]);
      expect([round, await world.leftOver(id)]).toEqual([round, []]);
      const card = await world.api.forge.table.get<RepositoryCard>(cardKey(world.alice.user.id, id));
      expect([round, card?.lfsBytes]).toEqual([round, held.join("").length]);
      await sweepPacks(world.api.forge, id); // as the weekly job does: a kill leaves a pack that nothing names
      expect([round, await checkRepository(world.api.forge, id)]).toEqual([round, []]);
      await addTwo(round);
    },
  );
  expect(kills).toBeGreaterThan(12);
});
