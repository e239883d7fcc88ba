import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "#core/actor";
import { checkRepository, repair } from "#core/check/check";
import { fold } from "#core/directory/fold";
import { repositoryDirectory } from "#core/directory/repositories";
import type { Forge } from "#core/forge";
import { handOver } from "#core/repository/hand-over";
import { consolidateRepository } from "#core/repository/maintenance";
import * as repositories from "#core/repository/repository";
import { cardKey, countsKey, type Repository } from "#core/repository/repository.table";
import { quietMs, sealRepositories } from "#core/repository/sealing";
import * as stars from "#core/star/star";
import { update, type Write } from "#core/table";
import * as users from "#core/user/user";
import * as watches from "#core/watch/watch";
import { SimulatedCrash } from "#tests/support/faults";
import { makeForge, type TestForge } from "#tests/support/forge";
import { interleave } from "#tests/support/interleave";
import { measured } from "#tests/support/measured";
import { createRandom, type Random } from "#tests/support/random";
import { makeCommit } from "./commits.ts";

let world: TestForge;
let alice: Actor;
let fans: Actor[];
beforeAll(async () => {
  world = await makeForge();
  const make = async (name: string): Promise<Actor> => {
    const given = { name, email: `${name}@example.com`, password: "correct-horse-9" };
    return { user: await users.create(world.forge, given) };
  };
  alice = await make("alice");
  fans = [];
  for (let number = 0; number < 8; number += 1) fans.push(await make(`fan-${number}`));
});
afterAll(() => world.stop());

let made = 0;
const create = () => {
  made += 1;
  return repositories.create(world.forge, alice, alice.user, { name: `named-${made}` });
};
/** A process that knows nothing yet. */
const another = (): Forge => ({ ...world.forge, table: { ...world.forge.table } });
const listed = async (forge: Forge, { id, name }: Repository) => {
  const asked = { keyword: name, sort: { by: "id" } } as const;
  const { items } = await repositories.search(forge, alice, asked, { page: 1, limit: 50 });
  return items.find(({ repository }) => repository.id === id);
};
const shown = async (forge: Forge, repository: Repository) => {
  const { counts, gitBytes, pushedAt, language } = (await listed(forge, repository)) ?? {};
  return { counts, gitBytes, pushedAt, language };
};
async function sealed(repository: Repository): Promise<void> {
  world.clock.advance(1_000);
  expect(await repositories.sealNumbers(world.forge, repository.id)).toBe(true);
}
const isSealed = async ({ id, ownerId }: Repository) => {
  const found = await world.forge.table.getAll([countsKey(id, 0), cardKey(ownerId, id)]);
  return [...found.values()].map((item) => item.sealed !== undefined);
};
async function push(repository: Repository, message: string, by = alice): Promise<void> {
  const { id, pack } = makeCommit({ message });
  const changes = [{ name: `refs/heads/${message}`, new: id }];
  const outcome = await repositories.push(world.forge, repository, by, { changes, pack });
  expect(outcome.kind).toBe("done");
}

describe("numbers of repositories that are sealed", () => {
  it("lists take from memory, and read two units less for each", async () => {
    const repository = await create();
    const cost = async () => (await measured(() => listed(world.forge, repository))).usage.tableReadUnits;
    await cost();
    const before = await cost();
    await sealed(repository);
    expect(await cost()).toBe(before);
    expect(await cost()).toBe(before - 2);
    world.clock.advance(1_000);
    await repositories.noteActivity(world.forge, repository.id);
    expect(await cost(), "the directory tells another version of them").toBe(before);
  });

  const [first, second] = [() => fans[0] as Actor, () => fans[1] as Actor];
  const changes: Readonly<Record<string, (repository: Repository) => Promise<unknown>>> = {
    star: (one) => stars.create(world.forge, one, first().user.id),
    "star that ends": (one) => stars.remove(world.forge, one, second().user.id),
    watch: (one) => watches.create(world.forge, one, first().user.id),
    push: (one) => push(one, "more"),
    fork: (one) => forked(one, first()),
    "fork that is deleted": async (one) => {
      const fork = await repositories.search(
        world.forge,
        second(),
        { sort: { by: "id" }, mode: "fork" },
        all,
      );
      const own = fork.items.find(({ repository }) => repository.parentId === one.id);
      await repositories.remove(world.forge, second(), own?.repository as Repository);
    },
  };
  const all = { page: 1, limit: 50 };
  const forked = async (one: Repository, by: Actor) => {
    const access = { repository: one, owner: alice.user, rights: { base: 4, enabledUnits: new Set() } };
    return repositories.fork(world.forge, by, access as never, { owner: by.user } as never);
  };

  it.each(Object.keys(changes))("are changed by a %s, which every process shows at once", async (change) => {
    const repository = await create();
    await push(repository, "first");
    await stars.create(world.forge, repository, second().user.id);
    await forked(repository, second());
    await sealed(repository);
    const processes = [world.forge, another()];
    for (const forge of processes) await listed(forge, repository);
    const before = await shown(world.forge, repository);
    await changes[change]?.(repository);
    const fresh = await shown(another(), repository);
    expect(fresh).not.toEqual(before);
    for (const forge of processes) expect(await shown(forge, repository)).toEqual(fresh);
    expect(await isSealed(repository)).toEqual([false, false]);
  });

  it("order a user's own by size from memory, and by the size of this moment once one has changed", async () => {
    const owner = fans[3] as Actor;
    const own: Repository[] = [];
    for (let number = 0; number < 3; number += 1) {
      const given = { name: `sized-${number}` };
      own.push(await repositories.create(world.forge, owner, owner.user, given));
    }
    for (const repository of own) await sealed(repository);
    const processes = [world.forge, another()];
    const bySize = async (forge: Forge) => {
      const sort = { by: "size", isDescending: true } as const;
      const work = () => repositories.listOwn(forge, owner, sort, { page: 1, limit: 50 });
      const { result, usage } = await measured(work);
      return { names: result.items.map(({ repository }) => repository.name), usage };
    };
    const cold = await bySize(world.forge);
    for (const forge of processes) await bySize(forge);
    const warm = await bySize(world.forge);
    expect(warm.names).toEqual(["sized-0", "sized-1", "sized-2"]);
    const queries = ({ usage }: typeof cold) => usage.operations["dynamodb:Query"] ?? 0;
    expect(queries(warm), "cards are not asked for").toBe(queries(cold) - 1);
    await push(own[1] as Repository, "grows", owner);
    for (const forge of processes)
      expect((await bySize(forge)).names).toEqual(["sized-1", "sized-0", "sized-2"]);
    await repositories.remove(world.forge, owner, own[0] as Repository);
    for (const forge of processes) expect((await bySize(forge)).names).toEqual(["sized-1", "sized-2"]);
  });

  it("go with a repository that is handed over, and change there", async () => {
    const repository = await create();
    await sealed(repository);
    const processes = [world.forge, another()];
    for (const forge of processes) await listed(forge, repository);
    const to = (fans[2] as Actor).user;
    await handOver(world.forge, repository.id, to, [], () => undefined);
    await stars.create(world.forge, repository, to.id);
    for (const forge of processes) expect((await shown(forge, repository)).counts?.stars).toBe(1);
  });

  it("change while packs are put together", async () => {
    const repository = await create();
    for (let number = 0; number < 16; number += 1) await push(repository, `commit-${number}`);
    await sealed(repository);
    await listed(world.forge, repository);
    const before = await shown(world.forge, repository);
    await consolidateRepository.step(world.forge, { repositoryId: repository.id }, undefined);
    expect(await shown(world.forge, repository)).toEqual(await shown(another(), repository));
    expect((await shown(world.forge, repository)).gitBytes).not.toBe(before.gitBytes);
  });

  it.each<[string, number, (one: Repository) => Write]>([
    ["counts that are wrong", 11, ({ id }) => update(countsKey(id, 0), { set: { stars: 9 } })],
    [
      "a card of another size",
      18,
      ({ id, ownerId }) => update(cardKey(ownerId, id), { set: { gitBytes: 1 } }),
    ],
    ["a card without its seal", 32, ({ id, ownerId }) => update(cardKey(ownerId, id), { unset: ["sealed"] })],
  ])("are mended by the check of the data, which lists show: %s", async (_what, invariant, damage) => {
    const repository = await create();
    await sealed(repository);
    await world.forge.table.write(damage(repository));
    await listed(world.forge, repository);
    const findings = await checkRepository(world.forge, repository.id);
    expect(findings.map((finding) => finding.invariant)).toEqual([invariant]);
    await repair(world.forge, findings);
    expect(await checkRepository(world.forge, repository.id)).toEqual([]);
    expect(await shown(world.forge, repository)).toEqual(await shown(another(), repository));
  });

  it("are sealed by a job once a list has met ten that have long been quiet", async () => {
    const quiet = [];
    for (let number = 0; number < 10; number += 1) quiet.push(await create());
    const [one] = quiet as [Repository];
    const listAll = () =>
      repositories.search(another(), alice, { sort: { by: "id" } }, { page: 1, limit: 50 });
    await listAll();
    expect(await isSealed(one)).toEqual([false, false]);
    world.clock.advance(quietMs + 1_000);
    await listAll();
    const jobs = await world.forge.table.get({ pk: "JOB#0", sk: "seal-numbers-0" });
    expect(jobs?.kind).toBe("seal-numbers");
    const ids = quiet.map(({ id }) => id);
    await sealRepositories.step(world.forge, { ids }, undefined);
    for (const repository of quiet) expect(await isSealed(repository)).toEqual([true, true]);
  });
});

/** How often somebody does what he is there for, and dies of it. */
interface Often {
  readonly chance?: number;
  readonly crashChance?: number;
}

/** Stars, seals, folds and reads at the same time; answers what lists showed that can't have been. */
async function play(random: Random): Promise<string[]> {
  const repository = await create();
  const turns = interleave(world.forge, random);
  const wrong: string[] = [];
  const [begun, done] = [new Set<number>(), new Set<number>()];
  let writing = 2;
  const untilWritten = async (options: Often, act: (forge: Forge) => Promise<unknown>) => {
    let forge = turns.process(options);
    while (writing > 0) {
      try {
        if (random.chance(options.chance ?? 1)) await act(forge);
        else await forge.table.get(countsKey(repository.id, 0));
      } catch (error) {
        if (!(error instanceof SimulatedCrash)) throw error;
        forge = turns.process(options);
      }
    }
  };
  for (const half of [fans.slice(0, 4), fans.slice(4)]) {
    turns.start(async () => {
      for (const { user } of half) {
        begun.add(user.id);
        await stars.create(turns.process(), repository, user.id);
        done.add(user.id);
      }
      writing -= 1;
    });
  }
  for (const crashChance of [0, 0.1]) {
    turns.start(() =>
      untilWritten({ crashChance, chance: 0.05 }, async (forge) => {
        world.clock.advance(random.integer(3));
        await repositories.sealNumbers(forge, repository.id);
      }),
    );
  }
  turns.start(() =>
    untilWritten({ crashChance: 0.1, chance: 0.1 }, (forge) =>
      repositories.noteActivity(forge, repository.id),
    ),
  );
  turns.start(() =>
    untilWritten({ chance: 0.05 }, (forge) => repositories.unsealNumbers(forge, repository.id)),
  );
  turns.start(() =>
    untilWritten({ crashChance: 0.1, chance: 0.05 }, (forge) => fold(forge, repositoryDirectory)),
  );
  for (let reader = 0; reader < 2; reader += 1) {
    turns.start(() =>
      untilWritten({}, async (forge) => {
        const least = done.size;
        const stars = (await shown(forge, repository)).counts?.stars ?? -1;
        if (stars < least || stars > begun.size) wrong.push(`${stars} of ${least} to ${begun.size}`);
      }),
    );
  }
  await turns.run();
  const settled = (await shown(another(), repository)).counts?.stars;
  if (settled !== fans.length) wrong.push(`${settled} in the end`);
  return wrong;
}

describe("numbers that are sealed, unsealed and read by several processes at once", () => {
  const random = createRandom();
  it(`are never older than what was acknowledged before the reading (SEED=${random.seed})`, async () => {
    for (let round = 0; round < 3; round += 1) expect(await play(random)).toEqual([]);
  });
});
