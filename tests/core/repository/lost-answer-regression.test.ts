import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "#core/actor";
import { type EventMessage, removeReceived, resendOverdue } from "#core/events/outbox";
import { readRoot } from "#core/git/store/store";
import { createRepository } from "#core/repository/create";
import { pushToRepository } from "#core/repository/push";
import { createUser } from "#core/user/create";
import { makeCommit } from "#tests/git/store/made-objects";
import { makeForge, type TestForge } from "#tests/support/forge";

let on: TestForge;
let actor: Actor;
beforeAll(async () => {
  on = await makeForge({ retryBudgetMs: 300 });
  actor = {
    user: await createUser(on.forge, { name: "ada", email: "a@example.com", password: "correct-9" }),
  };
});
afterEach(() => on.faults.recover());
afterAll(() => on.stop());

/** Every answer to a transaction is lost until `recover`; it is applied all the same. */
const loseAnswers = (times: number) =>
  on.faults.inject({ service: "dynamodb", operation: "TransactWriteItems", fault: "lost-answer", times });

/** Hides the push log from the first look at it: the transaction is not visible yet. */
function hideLogOnce(): void {
  const { get } = on.forge.table;
  Object.assign(on.forge.table, {
    async get(key: { sk: string }, ...rest: unknown[]) {
      if (!key.sk.startsWith("L#")) return get(key as never, ...(rest as []));
      Object.assign(on.forge.table, { get });
      return undefined;
    },
  });
}

describe("when the answer to the transaction is lost", () => {
  it.each([false, true])("create answers its own success, with a README: %s", async (hasReadme) => {
    const name = `lost-${hasReadme}`;
    loseAnswers(1_000);
    if (hasReadme) hideLogOnce();
    const { id } = await createRepository(on.forge, actor, actor.user, { name, hasReadme });
    expect((await readRoot(on.forge, id))?.v).toBe(hasReadme ? 1 : 0);
  });

  it("a push is told once, by the event of the attempt that landed", async () => {
    const repository = await createRepository(on.forge, actor, actor.user, { name: "told" });
    await removeReceived(on.forge, (await on.queues.take("repository-events")) as EventMessage[]);
    const commit = makeCommit("sha1");
    loseAnswers(1_000);
    hideLogOnce();
    const changes = [{ name: "refs/heads/main", new: commit.id }];
    const outcome = await pushToRepository(on.forge, repository, actor, { pack: commit.pack, changes });
    expect(outcome).toMatchObject({ kind: "done", facts: {} });
    on.faults.recover();
    on.clock.advance(61_000);
    await resendOverdue(on.forge);
    const told = await on.queues.take("repository-events");
    expect(new Set(told.map(({ eventId }) => eventId)).size).toBe(1);
    expect(await resendOverdue(on.forge)).toBe(0);
  });
});
