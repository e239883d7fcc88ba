import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeForge, type TestForge } from "#tests/support/forge";
import { makeCommit } from "./made-objects.ts";
import { main, pushesTo } from "./pushes.ts";

let made: TestForge;
beforeAll(async () => {
  made = await makeForge({ retryBudgetMs: 500 });
});
afterEach(() => made.faults.recover());
afterAll(() => made.stop());

const { create, update, checkWhole } = pushesTo(() => made);

describe("a push whose services fail", () => {
  it("lands once when every answer of the transaction is lost", async () => {
    const { id, first } = await create();
    made.faults.inject({
      service: "dynamodb",
      operation: "TransactWriteItems",
      fault: "lost-answer",
      times: 1_000,
    });
    const commit = makeCommit("sha1", [first.id]);
    const outcome = await update(id, main, commit, first.id);
    expect(outcome).toMatchObject({ kind: "done", results: [{ name: main }] });
    expect((await checkWhole(id)).root.v).toBe(2);
  });

  it("fails with nothing changed when the transaction never arrives", async () => {
    const { id, first } = await create();
    made.faults.inject({
      service: "dynamodb",
      operation: "TransactWriteItems",
      fault: "unanswered",
      times: 1_000,
    });
    await expect(update(id, main, makeCommit("sha1", [first.id]), first.id, 100)).rejects.toThrow(
      "try again",
    );
    made.faults.recover();
    expect((await checkWhole(id)).root.v).toBe(1);
  });

  it("fails with nothing changed when the upload fails, and keeps nothing of it", async () => {
    const { id, first } = await create();
    made.faults.inject({ service: "s3", operation: "PutObject", fault: new Error("no such luck") });
    await expect(update(id, main, makeCommit("sha1", [first.id]), first.id)).rejects.toThrow("no such luck");
    const repository = await checkWhole(id);
    expect(repository.root.v).toBe(1);
    const keys: string[] = [];
    for await (const { key } of made.forge.blobs.list(`r/${id}/`)) keys.push(key);
    expect(keys).toHaveLength(2);
  });

  it.each([
    [1, "before"],
    [1, "after"],
    [2, "before"],
    [2, "after"],
    [3, "before"],
    [3, "after"],
  ] as const)("is whole or not there after a crash at write %i, %s it was sent", async (write, when) => {
    const { id, first } = await create();
    const commit = makeCommit("sha1", [first.id]);
    made.faults.crashAt(write, when);
    await update(id, main, commit, first.id).catch(() => undefined);
    expect(made.faults.hasCrashed).toBe(true);
    made.faults.recover();
    const repository = await checkWhole(id);
    const isCommitted = write === 3 && when === "after";
    expect(repository.refs.find(main)?.id).toBe(isCommitted ? commit.id : first.id);
    const again = await update(id, main, commit, isCommitted ? commit.id : first.id);
    expect(again.kind).toBe("done");
    expect((await checkWhole(id)).refs.find(main)?.id).toBe(commit.id);
  });
});
