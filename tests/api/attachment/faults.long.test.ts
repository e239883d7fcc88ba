import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { attachmentFiles } from "#core/attachment/attachment.table";
import { resendOverdue } from "#core/events/outbox";
import { checkRepository } from "#core/lifecycle/check/check";
import { tick } from "#functions/workers/tick";
import { type ApiAnswer, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { SimulatedCrash } from "#tests/support/faults";
import { openIssue } from "../issue/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { beside, sendFile } from "./make.ts";

let api: TestApi;
let ask: ReturnType<typeof beside>;
let owner: Caller;
let where: TestRepository;
const hour = 3_600_000;

beforeAll(async () => {
  api = await makeApi();
  ask = beside(api);
  owner = await api.makeUser();
});
beforeEach(async () => {
  api.faults.recover();
  where = await makeRepository(api, owner);
  await openIssue(api, where, owner);
});
afterAll(() => api.stop());

const assets = () => `${where.path}/issues/1/assets`;
const list = async () => (await api.call("GET", assets(), { as: owner })).json;
const files = async () => {
  const keys: string[] = [];
  for await (const { key } of api.forge.blobs.list(attachmentFiles(where.repository.id))) keys.push(key);
  return keys;
};
const upload = () => sendFile(api, assets(), owner, { name: "a.txt", bytes: "bytes" });

/** Does something in a process that is killed before or after its n-th write; undefined when it got no answer. */
async function killedAt(
  write: number,
  when: "before" | "after",
  act: () => Promise<ApiAnswer>,
): Promise<ApiAnswer | undefined> {
  api.faults.crashAt(write, when);
  try {
    return await act();
  } catch (error) {
    if (error instanceof SimulatedCrash) return undefined;
    throw error;
  } finally {
    api.faults.recover();
  }
}

/** The state after later ticks: only listed files, all of them whole, and nothing that a check finds. */
async function expectSettled(): Promise<number> {
  api.clock.advance(49 * hour);
  await resendOverdue(api.forge);
  await tick(api.forge);
  const listed = await list();
  expect(await files()).toHaveLength(listed.length);
  for (const { browser_download_url: url } of listed) expect((await ask(url)).text).toBe("bytes");
  expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  return listed.length;
}

const moments = [1, 2, 3, 4, 5, 6].flatMap((write) =>
  (["before", "after"] as const).map((when) => ({ write, when })),
);

describe("a process that is killed", () => {
  it("while a file is attached leaves it attached, or nothing of it", async () => {
    let count = 0;
    const whole: boolean[] = [];
    for (const { write, when } of moments) {
      const answer = await killedAt(write, when, upload);
      const listed = await list();
      if (answer?.status === 201) expect(listed.length).toBe(count + 1);
      whole.push(listed.length > count);
      count = listed.length;
    }
    // The file and the note for its sweep are written before the ids that the transaction needs.
    expect(whole.indexOf(true)).toBeGreaterThanOrEqual(4);
    expect(await expectSettled()).toBe(count);
  });

  it("while one is deleted leaves it there, or gone with its file later", async () => {
    for (const { write, when } of moments.slice(0, 4)) {
      const { id } = (await upload()).json;
      await killedAt(write, when, () => api.call("DELETE", `${assets()}/${id}`, { as: owner }));
      const isGone = (await list()).length === 0;
      expect(isGone, `${when} write ${write}`).toBe(write > 1 || when === "after");
      expect(await expectSettled()).toBe(isGone ? 0 : 1);
      if (!isGone) await api.call("DELETE", `${assets()}/${id}`, { as: owner });
    }
  });

  it("while a sweep removes files does it at the next tick", async () => {
    const { id } = (await upload()).json;
    await api.call("DELETE", `${assets()}/${id}`, { as: owner });
    api.clock.advance(2 * hour);
    api.faults.crashAt(1, "after");
    await tick(api.forge).catch(() => undefined);
    api.faults.recover();
    expect(await expectSettled()).toBe(0);
  });
});

describe("S3 and the table under faults", () => {
  it("500: S3 refuses the file, and nothing is attached; the next try succeeds", async () => {
    api.faults.inject({ service: "s3", operation: "PutObject", fault: new Error("out of order"), times: 10 });
    expect((await upload()).status).toBe(500);
    api.faults.recover();
    expect(await list()).toEqual([]);
    expect((await upload()).status).toBe(201);
    expect(await expectSettled()).toBe(1);
  });

  it("500: the answer of S3 gets lost, and the file that lies there goes", async () => {
    api.faults.inject({ service: "s3", operation: "PutObject", fault: "lost-answer" });
    expect((await upload()).status).toBe(500);
    expect(await files()).toHaveLength(1);
    expect(await expectSettled()).toBe(0);
  });

  it("201: the answer of the table gets lost, and it is attached once", async () => {
    api.faults.inject({ service: "dynamodb", operation: "TransactWriteItems", fault: "lost-answer" });
    expect((await upload()).status).toBe(201);
    api.faults.recover();
    expect(await list()).toHaveLength(1);
    expect(await expectSettled()).toBe(1);
  });
});

describe("rivals", () => {
  it("204 with 201 or 404: a rename and a deletion at once leave nothing behind", async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id } = (await upload()).json;
      const body = { name: "b.txt" };
      const [renamed, removed] = await Promise.all([
        api.call("PATCH", `${assets()}/${id}`, { as: owner, body }),
        api.call("DELETE", `${assets()}/${id}`, { as: owner }),
      ]);
      expect([201, 404]).toContain(renamed.status);
      expect(removed.status).toBe(204);
      expect(await list()).toEqual([]);
    }
    expect(await expectSettled()).toBe(0);
  });

  it("an upload and the deletion of its issue at once: it goes with it, or 404", async () => {
    for (const number of [1, 2, 3]) {
      if (number > 1) await openIssue(api, where, owner);
      const path = `${where.path}/issues/${number}`;
      const [uploaded, removed] = await Promise.all([
        sendFile(api, `${path}/assets`, owner, { bytes: "bytes" }),
        api.call("DELETE", path, { as: owner }),
      ]);
      expect([201, 404]).toContain(uploaded.status);
      expect(removed.status).toBe(204);
    }
    api.clock.advance(49 * hour);
    await tick(api.forge);
    await tick(api.forge);
    expect(await files()).toEqual([]);
  });
});
