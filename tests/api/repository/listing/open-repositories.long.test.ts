import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { compact } from "#core/list-index/internal/compaction";
import { listFromIndex } from "#core/list-index/list-index";
import { ownerIndex } from "#core/owner/owner.index";
import { createRepository } from "#core/repository/create";
import { editRepository } from "#core/repository/edit";
import { listRepositoriesOfIds } from "#core/repository/listing/list";
import { searchRepositories } from "#core/repository/listing/search";
import { repositoryIndex } from "#core/repository/repository.index";
import type { Repository } from "#core/repository/repository.table";
import { createUser } from "#core/user/create";
import { editUser } from "#core/user/edit";
import { makeForge, type TestForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";

const random = createRandom();
const { chance, pick } = random;
const visibilities = ["public", "public", "limited", "private"] as const;

let world: TestForge;
beforeAll(async () => {
  world = await makeForge();
});
afterAll(() => world.stop());

/** On a page too small for all, the others are only counted. */
const found = async (forge: Forge, actor: Actor | undefined, by: "alpha" | "id") => {
  const page = (limit: number) => searchRepositories(forge, actor, { sort: { by } }, { page: 1, limit });
  const [{ total }, { items }] = [await page(1), await page(50)];
  return { names: items.map(({ repository }) => repository.name).sort(), total };
};

describe(`search of what is open to everybody (SEED=${random.seed})`, () => {
  it("shows by name, where it is kept, what it shows by id, where each is tested, through changes and compactions", async () => {
    const { forge } = world;
    const make = async (name: string, more: object = {}): Promise<Actor> => {
      const given = { name, email: `${name}@example.com`, password: "correct-horse-9", ...more };
      return { user: await createUser(forge, given) };
    };
    const owners = [await make("ann"), await make("bob"), await make("cleo")];
    const restricted = await make("rex", { isRestricted: true });
    const boss = await make("boss", { isAdmin: true });
    const all: number[] = [];
    for (let number = 0; number < 12; number += 1) {
      const owner = owners[number % 3] as Actor;
      const given = { name: `named-${number}`, isPrivate: chance(0.4) };
      all.push((await createRepository(forge, owner, owner.user, given)).id);
    }
    const limited = { ...(owners[0] as Actor), grant: { isPublicOnly: true } } as Actor;
    const totals = new Set<number>();
    for (let round = 0; round < 12; round += 1) {
      if (chance(0.5)) await editUser(forge, pick(owners).user, { visibility: pick(visibilities) });
      else {
        const id = pick(all);
        const { items } = await listRepositoriesOfIds(forge, boss, [id], { page: 1, limit: 1 });
        const repository = items[0]?.repository as Repository;
        await editRepository(forge, boss, repository, { isPrivate: chance(0.5) });
      }
      if (chance(0.4)) await compact(forge, repositoryIndex);
      if (chance(0.4)) await compact(forge, ownerIndex);
      for (const actor of [undefined, ...owners, restricted, boss, limited]) {
        const byName = await found(forge, actor, "alpha");
        const said = `round ${round}, ${actor?.user.name}`;
        expect(byName, said).toEqual(await found(forge, actor, "id"));
        totals.add(byName.total);
      }
    }
    expect(totals.size, "they differ").toBeGreaterThan(4);
  });

  it("tests again only what is not open, and all where it is filtered or has another version", async () => {
    const { forge } = world;
    await compact(forge, repositoryIndex);
    const looks = async (version: string, more: object = {}) => {
      let [accepted, tested] = [0, 0];
      const filter = {
        ...more,
        accepts: () => {
          accepted += 1;
          return true;
        },
        surely: {
          ...{ name: "even", version },
          holds: ({ id }: { id: number }) => {
            tested += 1;
            return id % 2 === 0;
          },
        },
      };
      const query = { filter, sort: { by: "created" }, page: 1, limit: 0 } as const;
      const { total } = await listFromIndex(forge, repositoryIndex, query);
      return { total, accepted, tested };
    };
    expect(await looks("1")).toEqual({ total: 12, accepted: 6, tested: 12 });
    expect(await looks("1")).toEqual({ total: 12, accepted: 6, tested: 0 });
    expect(await looks("2")).toEqual({ total: 12, accepted: 6, tested: 12 });
    expect(await looks("2", { isFork: false })).toEqual({ total: 12, accepted: 12, tested: 0 });
  });
});
