import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { commitPush } from "#core/git/store/push/commit-push";
import { newRoot, openRepository } from "#core/git/store/store";
import { makeCommit } from "#tests/git/store/made-objects";
import { makeApi, type TestApi } from "#tests/support/api";
import type { FaultRule } from "#tests/support/faults";
import { makeForge, type TestForge } from "#tests/support/forge";

/** The answers of the DynamoDB stand-in and of the S3 stand-in when their disk is full. */
const tableFull = Object.assign(new Error("commit failed (backend: database or disk is full)"), {
  name: "InternalServerError",
  $metadata: { httpStatusCode: 500 },
});
const objectsFull = Object.assign(new Error("The disk is full; nothing was stored."), {
  name: "InsufficientStorage",
  $metadata: { httpStatusCode: 507 },
});
const reason = "no space left on the data folder's disk; free some, then try again";

describe("a full disk", () => {
  let world: TestForge;
  beforeAll(async () => {
    world = await makeForge();
  });
  afterEach(() => world.faults.recover());
  afterAll(() => world.stop());

  it.each<[string, FaultRule]>([
    ["the table's", { service: "dynamodb", operation: "TransactWriteItems", fault: tableFull, times: 100 }],
    ["the objects'", { service: "s3", operation: "PutObject", fault: objectsFull, times: 100 }],
  ])("%s: a push fails at once with the reason, and the repository stays as it was", async (of, rule) => {
    const id = of.length;
    await world.forge.table.write(newRoot(id, { format: "sha1", defaultBranch: "main" }));
    const commit = makeCommit("sha1");
    const push = { pack: commit.pack, changes: [{ name: "refs/heads/main", new: commit.id }], pusherId: 1 };
    const fault = world.faults.inject(rule);
    await expect(commitPush(world.forge, id, push)).rejects.toMatchObject({
      code: "storage-full",
      message: reason,
    });
    expect(fault.hits).toBeLessThanOrEqual(2); // the pack and its side file are written side by side
    world.faults.recover();
    expect((await openRepository(world.forge, id))?.refs.entries).toEqual([]);
    expect(await commitPush(world.forge, id, push)).toMatchObject({ kind: "done" });
  });
});

describe("a full disk under the API", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await makeApi();
  });
  afterAll(() => api.stop());

  it("503 with the reason, after a single try; nothing was written, and reading goes on", async () => {
    const alice = await api.makeUser({ name: "alice" });
    await api.call("POST", "/user/repos", { as: alice, body: { name: "full" } });
    const fault = api.faults.inject({
      service: "dynamodb",
      operation: "TransactWriteItems",
      fault: tableFull,
      times: 100,
    });
    const refused = await api.call("POST", "/repos/alice/full/issues", { as: alice, body: { title: "one" } });
    expect(refused).toMatchObject({ status: 503, json: { message: reason } });
    expect(fault.hits).toBe(1);
    api.clock.advance(2 * 3600_000); // now the use of the token is to be noted again
    const noting = api.faults.inject({
      service: "dynamodb",
      operation: "UpdateItem",
      fault: tableFull,
      fits: ({ Key }: { Key: { sk: string } }) => Key.sk.startsWith("TOK#"),
    });
    const listed = await api.call("GET", "/repos/alice/full/issues", { as: alice });
    expect(listed).toMatchObject({ status: 200, json: [] });
    expect(noting.hits).toBe(1);
  });
});
