import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessById } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { checkRepository } from "#core/lifecycle/check/check";
import { createRepository } from "#core/repository/create";
import { forkRepository } from "#core/repository/fork/fork";
import { listForksOf } from "#core/repository/fork/forks";
import { removeRepository } from "#core/repository/removal/remove";
import {
  type ForkGuard,
  forkGuardKey,
  forkIdsOf,
  type Repository,
  repositoryKey,
} from "#core/repository/repository.table";
import { startTransfer } from "#core/repository/transfer/transfer";
import { createUser } from "#core/user/create";
import { makeForge, type TestForge } from "#tests/support/forge";
import { race as raceOn } from "#tests/support/race/race";
import { createRandom } from "#tests/support/random";

/** An owner has a fork exactly while one of their live repositories is one, in whatever order things happen. */
const random = createRandom();
const orders = 4;
let test: TestForge;
let owners: readonly [Actor, Actor, Actor];
let boss: Actor;
let source: Repository;
let made = 0;
beforeAll(async () => {
  test = await makeForge({ simulation: false });
  const user = async (name: string, isAdmin = false): Promise<Actor> => {
    const account = { name, email: `${name}@example.com`, password: "correct-horse-9", isAdmin };
    return { user: await createUser(test.forge, account) };
  };
  owners = [await user("ann"), await user("ben"), await user("cem")];
  boss = await user("boss", true);
});
beforeEach(() => renew());
afterAll(() => test.stop());

async function renew(): Promise<void> {
  made += 1;
  source = await createRepository(test.forge, owners[0], owners[0].user, { name: `source-${made}` });
}

const race = (...verbs: ((forge: Forge) => Promise<unknown>)[]) => raceOn(test.forge, random, ...verbs);
const get = ({ id }: Pick<Repository, "id">) => test.forge.table.get<Repository>(repositoryKey(id));
/** A verb on a repository as it is when the verb begins; nothing when it is gone. */
const onCurrent =
  (of: Pick<Repository, "id">, verb: (forge: Forge, current: Repository) => Promise<unknown>) =>
  async (forge: Forge) => {
    const current = await forge.table.get<Repository>(repositoryKey(of.id));
    if (current !== undefined) await verb(forge, current);
  };
const fork = (by: Actor, name: string) => async (forge: Forge) => {
  const access = await findAccessById(forge, by, source.id);
  if (access === undefined) return;
  await forkRepository(forge, by, access, { owner: by.user, mayCreateRepositories: true }, name);
};
const give = (one: Pick<Repository, "id">, to: Actor) =>
  onCurrent(one, (forge, current) => startTransfer(forge, boss, current, { newOwner: to.user.name }));
const remove = (one: Pick<Repository, "id">) =>
  onCurrent(one, (forge, current) => removeRepository(forge, boss, current));

/** A fork of each owner's. */
async function forkAll(): Promise<readonly [Repository, Repository, Repository]> {
  const forks = owners.map(async (by, at) => {
    const access = await findAccessById(test.forge, by, source.id);
    if (access === undefined) throw new Error("the source is hidden");
    const target = { owner: by.user, mayCreateRepositories: true };
    return forkRepository(test.forge, by, access, target, `fork-${made}-${at}`);
  });
  const [one, two, three] = await Promise.all(forks);
  if (one === undefined || two === undefined || three === undefined) throw new Error("unreachable");
  return [one, two, three];
}

/** Checks that each guard names exactly the forks of its owner. */
async function expectTold(...forks: readonly Pick<Repository, "id">[]): Promise<void> {
  const found = await Promise.all(forks.map(get));
  const live = found.flatMap((one) => (one?.state === "live" && one.parentId === source.id ? [one] : []));
  for (const { user } of [...owners, boss]) {
    const guard = await test.forge.table.get<ForkGuard>(forkGuardKey(source.id, user.id));
    const own = live.filter(({ ownerId }) => ownerId === user.id).map(({ id }) => id);
    expect([user.name, [...forkIdsOf(guard)]]).toEqual([user.name, own.sort((one, other) => one - other)]);
  }
  for (const { id } of [source, ...live]) expect(await checkRepository(test.forge, id)).toEqual([]);
}

describe("who has which forks of a repository", () => {
  it(`two of them come to one owner at once (SEED=${random.seed})`, async () => {
    for (let order = 0; order < orders; order += 1) {
      await renew();
      const [one, two, three] = await forkAll();
      await race(give(one, owners[2]), give(two, owners[2]));
      expect((await get(one))?.ownerId).toBe(owners[2].user.id);
      expect((await get(two))?.ownerId).toBe(owners[2].user.id);
      await expectTold(one, two, three);
      await race(give(one, owners[0]), give(two, owners[1]), give(three, owners[1]));
      await expectTold(one, two, three);
      expect((await get(three))?.ownerId).toBe(owners[1].user.id);
    }
  });

  it(`one comes while the owner's own is deleted, goes on, or is forked anew (SEED=${random.seed})`, async () => {
    for (let order = 0; order < orders; order += 1) {
      await renew();
      const [one, two, three] = await forkAll();
      await race(give(one, owners[2]), remove(three));
      expect((await get(one))?.ownerId).toBe(owners[2].user.id);
      await expectTold(one, two, three);
      await race(give(one, owners[1]), give(two, owners[2]), remove(one));
      await expectTold(one, two, three);
    }
  });

  it(`one comes while the owner makes one, who gets one or keeps to it (SEED=${random.seed})`, async () => {
    for (let order = 0; order < orders; order += 1) {
      await renew();
      const [one, , three] = await forkAll();
      await remove(three)(test.forge);
      await race(give(one, owners[2]), fork(owners[2], `again-${made}`));
      const page = { limit: 10, page: 1 };
      const { items } = await listForksOf(test.forge, boss, source, page);
      await expectTold(...items.map(({ repository }) => repository));
      expect((await get(one))?.ownerId).toBe(owners[2].user.id);
    }
  });

  it(`they come and go while the source is deleted (SEED=${random.seed})`, async () => {
    for (let order = 0; order < orders; order += 1) {
      await renew();
      const [one, two] = await forkAll();
      await race(give(one, owners[2]), give(two, owners[0]), remove(source));
      for (const each of [one, two]) {
        const now = await get(each);
        expect([now?.isFork, now?.parentId]).toEqual([false, undefined]);
        expect(await checkRepository(test.forge, each.id)).toEqual([]);
      }
    }
  });
});

describe("who has which forks, when the process is killed", () => {
  /** Kills a verb at each of its writes, before and after, until it comes to its end; answers how often. */
  async function killed(verb: (forge: Forge) => Promise<unknown>, ...forks: readonly Repository[]) {
    for (let write = 1; ; write += 1) {
      for (const when of ["before", "after"] as const) {
        test.faults.crashAt(write, when);
        await verb(test.forge).catch((error: unknown) => {
          if (!test.faults.hasCrashed) throw error;
        });
        const isKilled = test.faults.hasCrashed;
        test.faults.recover();
        await expectTold(...forks);
        if (!isKilled) return write - 1;
      }
    }
  }

  it("in a transfer", async () => {
    const forks = await forkAll();
    const to = owners[2].user.id;
    const giveAgain = async (forge: Forge) => {
      const current = await get(forks[0]);
      await give(forks[0], current?.ownerId === to ? owners[1] : owners[2])(forge);
    };
    expect(await killed(giveAgain, ...forks)).toBeGreaterThan(0);
  });

  it("in a deletion of one of two", async () => {
    const forks = await forkAll();
    await give(forks[0], owners[2])(test.forge);
    const removeOne = async (forge: Forge) => {
      if ((await get(forks[2]))?.state === "live") await remove(forks[2])(forge);
    };
    expect(await killed(removeOne, ...forks)).toBeGreaterThan(0);
  });
});
