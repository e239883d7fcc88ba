import { describe, expect, it } from "vitest";
import { findAccess } from "#core/access/repository-access";
import { runJob } from "#core/jobs/run";
import { forkRepository } from "#core/repository/fork/fork";
import { removeRepository } from "#core/repository/removal/remove";
import { startTransfer } from "#core/repository/transfer/transfer";
import { createUser } from "#core/user/create";
import { emptyingPlace, goneMark, kinds } from "./emptying-place.ts";

const place = emptyingPlace();
const { furnish, keysInTable, objectsOf, expectNothingLeft, jobIds, finishJobs } = place;

describe("remove", () => {
  it("leaves nothing of forks and of what was offered: of source and forks, in any order", async () => {
    const { forge } = place.world;
    const password = "correct-horse-9";
    const name = "reader";
    const user = await createUser(forge, { name, email: `${name}@example.com`, password });
    const before = await keysInTable();
    const { repository } = await furnish("forked");
    const source = await findAccess(forge, { user }, "alice", "forked");
    if (source === undefined) throw new Error("the repository is hidden");
    const target = { owner: user, mayCreateRepositories: true };
    const fork = await forkRepository(forge, { user }, source, target);
    const forked = await findAccess(forge, place.actor, name, "forked");
    if (forked === undefined) throw new Error("the fork is hidden");
    const own = { owner: place.actor.user, mayCreateRepositories: true };
    const second = await forkRepository(forge, place.actor, forked, own, "second");
    const offered = await startTransfer(forge, place.actor, second, { newOwner: name });
    expect(offered.kind).toBe("pending");
    for (const one of [fork, repository, second]) {
      await removeRepository(forge, place.actor, one);
      await finishJobs();
    }
    const left = [...(await keysInTable())].filter((key) => !before.has(key));
    expect(left.sort()).toEqual([repository.id, fork.id, second.id].map(goneMark).sort());
    for (const id of [repository.id, fork.id, second.id]) expect(await objectsOf(id)).toEqual([]);
  });

  it("killed at any of its own writes either did nothing or leads to an empty place", async () => {
    const { forge, faults } = place.world;
    for (let write = 1, isKilled = true; isKilled; write += 1) {
      const before = await keysInTable();
      const { repository } = await furnish(`hidden-${write}`);
      faults.crashAt(write, write === 1 ? "before" : "after");
      await removeRepository(forge, place.actor, repository).catch(() => undefined);
      isKilled = faults.hasCrashed;
      faults.recover();
      if (write === 1) await removeRepository(forge, place.actor, repository);
      await finishJobs();
      await expectNothingLeft(repository.id, before);
    }
  });

  it("killed after every third or fourth write of its job, it still gets on, and leaves nothing", async () => {
    const { forge, faults, clock } = place.world;
    const before = await keysInTable();
    const { repository } = await furnish("killed");
    await removeRepository(forge, place.actor, repository);
    let kills = 0;
    for (let [id] = await jobIds(); id !== undefined; [id] = await jobIds()) {
      // A run's first write is the lease, and the next a removal, perhaps one that fails because nothing is left; then
      // comes another, or the cursor.
      faults.crashAt(3 + (kills % 2), "after");
      await runJob(forge, kinds, id, { budgetMs: 60_000 }).catch(() => undefined);
      if (faults.hasCrashed) kills += 1;
      faults.recover();
      clock.advance(200_000);
      expect(kills).toBeLessThan(100);
    }
    expect(kills).toBeGreaterThan(10);
    await expectNothingLeft(repository.id, before);
  });
});
