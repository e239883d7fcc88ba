import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeLog } from "#core/git/refs/ref-log";
import { logKey, replaceRoot } from "#core/git/store/refs/refs.table";
import { readRoot, readSnapshot } from "#core/git/store/refs/snapshot";
import { createRepository } from "#core/repository/create";
import { absent } from "#core/table/condition";
import { put } from "#core/table/write";
import { createUser } from "#core/user/create";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { makeForge, type TestForge } from "#tests/support/forge";

describe("worker of repository events, after a push", () => {
  let on: TestForge;
  beforeAll(async () => {
    on = await makeForge();
  });
  afterAll(() => on.stop());

  it("compactions the log of the refs once it has 32 versions, and reads the same refs afterwards", async () => {
    const { forge, queues } = on;
    const user = await createUser(forge, {
      name: "alice",
      email: "a@example.com",
      password: "long enough",
    });
    const { id } = await createRepository(forge, { user }, user, { name: "busy", hasReadme: true });
    const first = (await readSnapshot({ ...forge.table }, id))?.refs.find("refs/heads/main")?.id;
    if (first === undefined) throw new Error("there is no branch");
    for (let at = 0; at < 31; at += 1) {
      const root = await readRoot(forge.table, id);
      if (root === undefined) throw new Error("there is no ROOT");
      const changes = [{ name: `refs/heads/b${at % 5}-${at}`, new: first }];
      const push = { pushId: randomBytes(8).toString("hex"), pusherId: 1, timeMs: 5, packIds: [], changes };
      const [bytes] = encodeLog("sha1", push);
      const log = put({ ...logKey(id, root.v + 1, 0), changes: bytes, _v: 1 }, absent);
      await forge.table.transact([replaceRoot(root, { v: root.v + 1 }), log]);
    }
    const before = await readSnapshot({ ...forge.table }, id);
    await queues.take("repository-events");
    const event = { kind: "push", eventId: "e-1", repositoryId: id, actorId: user.id, at: 1, version: 32 };
    await forge.queues.send("repository-events", [event]);
    const drained = await queues.drain("repository-events", (batch) => repositoryEventsWorker(forge, batch));
    expect(drained).toEqual({ done: 1, failed: 0 });
    const after = await readSnapshot({ ...forge.table }, id);
    expect(after?.root).toMatchObject({ v: 32, base: 32, segments: [expect.any(String)] });
    expect(after?.refs.entries).toEqual(before?.refs.entries);
  });
});
