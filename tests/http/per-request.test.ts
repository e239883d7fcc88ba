import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { lazyFor } from "#core/lazy";
import { createApi } from "#functions/api/app";
import { endpoint } from "#functions/http/endpoint";
import { makeForge, type TestForge } from "#tests/support/forge";
import { z } from "#zod";

let on: TestForge;
beforeAll(async () => {
  on = await makeForge();
});
afterAll(() => on.stop());

const remembered = lazyFor((_table: Forge["table"]) => new Set<string>());
const rememberedOfBlobs = lazyFor((_blobs: Forge["blobs"]) => new Set<string>());

/** Reads so many items and objects one after the other, while others do the same, and logs after each. */
const read = endpoint({
  tag: "miscellaneous",
  summary: "for tests",
  needs: {},
  errors: [],
  id: "read",
  method: "get",
  path: "/read/{id}",
  status: 200,
  returns: { json: z.unknown() },
  async handle({ forge, params: { id } }) {
    for (let count = 0; count < id; count += 1) {
      await forge.table.get({ pk: "absent", sk: String(count) });
      await forge.blobs.get("absent").catch(() => undefined);
      forge.log.info("test:read", { id, count });
    }
    remembered(forge.table).add(`t${id}`);
    rememberedOfBlobs(forge.blobs).add(`b${id}`);
    return {};
  },
});

describe("of several requests at a time each", () => {
  const ask = (app: ReturnType<typeof createApi>, id: number) =>
    app.request(`/api/v1/read/${id}`, { headers: { "x-amzn-trace-id": `request-${id}` } }, { event: {} });

  it("counts its own requests to the services, and its log lines carry its own id", async () => {
    const app = createApi({ forge: on.forge, endpoints: [read], showsCost: true });
    const answers = await Promise.all([1, 2, 3].map((id) => ask(app, id)));
    expect(answers.map(({ headers }) => headers.get("x-request-id"))).toEqual([
      "request-1",
      "request-2",
      "request-3",
    ]);
    expect(answers.map(({ headers }) => headers.get("server-timing"))).toEqual(
      [1, 2, 3].map(
        (id) =>
          `table;desc="${id} requests, ${id} read and 0 write units", objects;desc="${id} reads, 0 writes"`,
      ),
    );
    const lines = on.logged.filter(({ event }) => event === "test:read");
    expect(lines).toHaveLength(6);
    for (const { id, requestId } of lines) expect(requestId).toBe(`request-${id}`);
  });

  it("shares what the process remembers of the table and of the objects", async () => {
    const app = createApi({ forge: on.forge, endpoints: [read], showsCost: true });
    await ask(app, 4);
    await ask(app, 5);
    expect([...remembered(on.forge.table)]).toEqual(expect.arrayContaining(["t4", "t5"]));
    expect([...rememberedOfBlobs(on.forge.blobs)]).toEqual(expect.arrayContaining(["b4", "b5"]));
    const anew = { ...on.forge, table: { ...on.forge.table } };
    await ask(createApi({ forge: anew, endpoints: [read], showsCost: true }), 6);
    expect([...remembered(anew.table)]).toEqual(["t6"]);
  });
});
