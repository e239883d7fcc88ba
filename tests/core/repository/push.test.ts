import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { PushOutcome } from "#core/git/store/push/push";
import { openRepository } from "#core/git/store/store";
import { ownerKey } from "#core/owner/owner.table";
import { createRepository } from "#core/repository/create";
import { editRepository } from "#core/repository/edit";
import { searchRepositories } from "#core/repository/listing/search";
import { pushToRepository } from "#core/repository/push";
import { removeRepository } from "#core/repository/removal/remove";
import {
  cardKey,
  type Repository,
  type RepositoryCard,
  repositoryKey,
} from "#core/repository/repository.table";
import { update } from "#core/table/write";
import { createToken, removeTokenByIdOrName } from "#core/token/token";
import { createUser } from "#core/user/create";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";
import { makeCommit } from "./commits.ts";

let world: TestForge;
let alice: Actor;
let bob: Actor;
let repository: Repository;
let made = 0;

beforeAll(async () => {
  world = await makeForge();
  const password = "correct-horse-9";
  const make = async (name: string): Promise<Actor> => ({
    user: await createUser(world.forge, { name, email: `${name}@example.com`, password }),
  });
  [alice, bob] = [await make("alice"), await make("bob")];
});
beforeEach(async () => {
  made += 1;
  repository = await createRepository(world.forge, alice, alice.user, { name: `r${made}` });
  await world.queues.take("repository-events");
});
afterAll(() => world.stop());

function push(names: readonly string[], as: Actor = alice, isTreeKnown = false): Promise<PushOutcome> {
  const { id, pack } = makeCommit({ message: `${names} ${Math.random()}`, isTreeKnown });
  const changes = names.map((name) => ({ name, new: id }));
  return pushToRepository(world.forge, repository, as, { changes, pack });
}

const stored = async () => {
  const found = await world.forge.table.get<Repository>(repositoryKey(repository.id));
  if (found === undefined) throw new Error("no such repository");
  return found;
};
const headOf = async () => (await openRepository(world.forge, repository.id))?.head;
const refusalOf = (outcome: PushOutcome) =>
  outcome.kind === "done" ? outcome.results.map((one) => one.refusal) : outcome.kind;

describe("push", () => {
  it("keeps size and time on the card and tells of itself with one event", async () => {
    world.clock.advance(10_000);
    const outcome = await push(["refs/heads/main", "refs/tags/v1"]);
    if (outcome.kind !== "done" || outcome.facts === undefined) throw new Error("nothing landed");
    const card = await world.forge.table.get<RepositoryCard>(cardKey(alice.user.id, repository.id));
    expect(card).toMatchObject({
      gitBytes: outcome.facts.grownBytes,
      pushedAt: Math.floor(world.clock.now() / 1000),
    });
    expect(await world.queues.take("repository-events")).toEqual([
      {
        kind: "push",
        repositoryId: repository.id,
        actorId: alice.user.id,
        at: world.clock.now(),
        version: 1,
        eventId: expect.any(String),
        outboxAt: world.clock.now(),
      },
    ]);
  });

  it("of one commit costs 5 requests to the table (one for the requests from its branch), 2 to the bucket and 1 to a queue", async () => {
    await push(["refs/heads/main"]);
    const { usage } = await measured(() => push(["refs/heads/dev"], alice, true));
    expect(usage.operations).toEqual({
      "dynamodb:GetItem": 1,
      "dynamodb:BatchGetItem": 1,
      "dynamodb:Query": 2,
      "dynamodb:TransactWriteItems": 1,
      "s3:PutObject": 2,
      "sqs:SendMessageBatch": 1,
    });
  });

  it.each([
    [["refs/heads/dev"], "dev"],
    [["refs/heads/a", "refs/heads/master"], "master"],
    [["refs/heads/z", "refs/heads/main"], "main"],
  ])("of the first branches %s makes %s the default", async (names, expected) => {
    await push(names);
    expect(await stored()).toMatchObject({ isEmpty: false, defaultBranch: expected });
    expect(await headOf()).toBe(`refs/heads/${expected}`);
  });

  it("of tags alone leaves the repository empty; the first branch after them becomes the default", async () => {
    await push(["refs/tags/v1"]);
    expect(await stored()).toMatchObject({ isEmpty: true, defaultBranch: "main" });
    await push(["refs/heads/dev"]);
    expect(await stored()).toMatchObject({ isEmpty: false, defaultBranch: "dev" });
    await push(["refs/heads/main"]);
    expect((await stored()).defaultBranch).toBe("dev");
  });

  it("refuses to delete the default branch and what the service keeps; the other refs land (D-REFUSE)", async () => {
    await push(["refs/heads/main", "refs/heads/old"]);
    const { refs } = (await openRepository(world.forge, repository.id)) ?? {};
    const tip = refs?.find("refs/heads/main")?.id ?? "";
    const changes = [
      { name: "refs/heads/main", old: tip },
      { name: "refs/heads/old", old: tip },
      { name: "refs/pull/1/head", new: tip },
      { name: "refs/for/main", new: tip },
    ];
    const outcome = await pushToRepository(world.forge, repository, alice, { changes });
    const refusals = refusalOf(outcome);
    expect(refusals[0]).toContain("default branch");
    expect(refusals[1]).toBeUndefined();
    expect(refusals[2]).toContain("refs/pull/");
    expect(refusals[3]).toContain("a topic is missing");
  });

  it("follows the default branch of this moment: one that was the default may be deleted", async () => {
    await push(["refs/heads/main", "refs/heads/next"]);
    const tip = (await openRepository(world.forge, repository.id))?.refs.find("refs/heads/main")?.id ?? "";
    await editRepository(world.forge, alice, await stored(), { defaultBranch: "next" });
    const remove = (name: string) =>
      pushToRepository(world.forge, repository, alice, { changes: [{ name, old: tip }] });
    expect(refusalOf(await remove("refs/heads/next"))).toEqual([expect.stringContaining("default branch")]);
    expect(refusalOf(await remove("refs/heads/main"))).toEqual([undefined]);
  });

  it("loses to an archiving, a loss of rights and a deletion that came after it was let in", async () => {
    expect(refusalOf(await push(["refs/heads/main"], bob))).toEqual([
      expect.stringContaining("no longer push"),
    ]);
    await editRepository(world.forge, alice, await stored(), { isArchived: true });
    expect(refusalOf(await push(["refs/heads/main"]))).toEqual([expect.stringContaining("archived")]);
    await editRepository(world.forge, alice, await stored(), { isPrivate: true });
    expect(refusalOf(await push(["refs/heads/main"], bob))).toEqual([expect.stringContaining("gone")]);
    await removeRepository(world.forge, alice, await stored());
    expect(refusalOf(await push(["refs/heads/main"]))).toBe("gone");
    expect(await world.forge.table.get(cardKey(alice.user.id, repository.id))).toBeUndefined();
  });

  it("loses to the end of the token, the password or the account that let it in", async () => {
    const { user } = alice;
    const { token } = await createToken(world.forge, user, { name: `t${made}`, scopes: ["all"] });
    const grant = {
      holderId: user.id,
      tokenId: token.id,
      isMinted: false,
      scopes: ["all"],
      isPublicOnly: false,
    };
    const byToken = { user, grant };
    expect(refusalOf(await push(["refs/heads/main"], byToken))).toEqual([undefined]);
    await removeTokenByIdOrName(world.forge, user, token.name);
    const shut = [expect.stringContaining("lets you in no more")];
    expect(refusalOf(await push(["refs/heads/x"], byToken))).toEqual(shut);
    const formerly = { user: { ...user, passwordHash: "scrypt$10$former$hash" } };
    expect(refusalOf(await push(["refs/heads/x"], formerly))).toEqual(shut);
    const set = (isLoginProhibited: boolean) =>
      world.forge.table.write(update(ownerKey(user.id), { set: { isLoginProhibited } }));
    await set(true);
    expect(refusalOf(await push(["refs/heads/x"]))).toEqual(shut);
    await set(false);
  });

  it("at the same time as a rename and edits loses none of them", async () => {
    const [outcome] = await Promise.all([
      push(["refs/heads/dev"]),
      editRepository(world.forge, alice, repository, { name: `r${made}-renamed` }),
      editRepository(world.forge, alice, repository, { description: "words" }),
      editRepository(world.forge, alice, repository, { isPrivate: true }),
    ]);
    expect(refusalOf(outcome)).toEqual([undefined]);
    expect(await stored()).toMatchObject({
      name: `r${made}-renamed`,
      description: "words",
      isPrivate: true,
      isEmpty: false,
      defaultBranch: "dev",
    });
    const access = await findAccess(world.forge, alice, "alice", `r${made}-renamed`);
    expect(access?.repository.id).toBe(repository.id);
    const found = await searchRepositories(
      world.forge,
      alice,
      { keyword: "-renamed", sort: { by: "id" } },
      { page: 1, limit: 9 },
    );
    expect(found.items.map((one) => one.repository.id)).toContain(repository.id);
  });

  it("that deletes a branch which becomes the default meanwhile never leaves HEAD without its branch", async () => {
    await push(["refs/heads/main", "refs/heads/next"]);
    const tip = (await openRepository(world.forge, repository.id))?.refs.find("refs/heads/next")?.id ?? "";
    await Promise.all([
      pushToRepository(world.forge, repository, alice, { changes: [{ name: "refs/heads/next", old: tip }] }),
      editRepository(world.forge, alice, await stored(), { defaultBranch: "next" }),
    ]);
    const opened = await openRepository(world.forge, repository.id);
    expect(opened?.refs.find(opened.head)).toBeDefined();
    expect(opened?.head).toBe(`refs/heads/${(await stored()).defaultBranch}`);
  });

  it("at the same time as a deletion either lands before it or is gone; nothing is half there", async () => {
    const outcomes = await Promise.all([
      push(["refs/heads/main"]),
      removeRepository(world.forge, alice, repository),
      push(["refs/heads/dev"]),
    ]);
    for (const outcome of [outcomes[0], outcomes[2]]) expect(["done", "gone"]).toContain(outcome.kind);
    expect((await stored()).state).toBe("deleting");
    expect(await openRepository(world.forge, repository.id)).toBeUndefined();
    expect(await world.forge.table.get(cardKey(alice.user.id, repository.id))).toBeUndefined();
  });
});

describe("create with a README", () => {
  it("killed after any of its writes shows the whole repository or nothing, and its name stays usable", async () => {
    const { forge, faults } = world;
    for (let write = 1, isKilled = true; isKilled; write += 1) {
      const name = `begun-${write}`;
      faults.crashAt(write, "after");
      await createRepository(forge, alice, alice.user, { name, hasReadme: true }).catch(() => undefined);
      isKilled = faults.hasCrashed;
      faults.recover();
      const access = await findAccess(forge, alice, "alice", name);
      if (access !== undefined) {
        expect(access.repository.isEmpty).toBe(false);
        expect((await openRepository(forge, access.repository.id))?.root.branches).toBe(1);
      } else {
        const again = await createRepository(forge, alice, alice.user, { name, hasReadme: true });
        expect(again.isEmpty).toBe(false);
      }
    }
  });
});
