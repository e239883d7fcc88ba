import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "#core/actor";
import { gitPartition } from "#core/git/store/refs/refs.table";
import { openRepository } from "#core/git/store/store";
import { createRepository } from "#core/repository/create";
import { repositoryNameKey } from "#core/repository/repository.table";
import { createUser } from "#core/user/create";
import { makeForge, type TestForge } from "#tests/support/forge";

let world: TestForge;
let alice: Actor;

beforeAll(async () => {
  world = await makeForge();
  const given = { name: "alice", email: "alice@example.com", password: "correct-horse-9" };
  alice = { user: await createUser(world.forge, given) };
});
afterEach(() => world.faults.recover());
afterAll(() => world.stop());

const create = (name: string) => createRepository(world.forge, alice, alice.user, { name, hasReadme: true });

describe("a repository that begins with a commit", () => {
  it("is whole or leaves no item behind, wherever a crash comes", async () => {
    const { table } = world.forge;
    let whole = 0;
    for (let round = 0, before = await create("first"); ; round += 1) {
      const name = `crashed-${round}`;
      world.faults.crashAt(1 + Math.floor(round / 2), round % 2 === 0 ? "before" : "after");
      await create(name).catch(() => undefined);
      const { hasCrashed } = world.faults;
      world.faults.recover();
      const guard = await table.get<{ pk: string; sk: string; repositoryId: number }>(
        repositoryNameKey(alice.user.id, name),
      );
      if (guard === undefined) {
        for (let id = before.id + 1; id <= before.id + 2; id += 1)
          expect(await table.queryAll({ pk: gitPartition(id) })).toEqual([]);
      } else {
        whole += 1;
        const opened = await openRepository(world.forge, guard.repositoryId);
        expect(opened?.refs.entries.map((entry) => entry.name)).toEqual(["refs/heads/main"]);
      }
      if (!hasCrashed) break;
      before = await create(`after-${round}`);
    }
    expect(whole).toBeGreaterThan(0);
  });
});
