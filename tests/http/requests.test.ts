import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { conflict, unavailable } from "#core/errors";
import type { Forge } from "#core/forge";
import { createApi } from "#functions/api/app";
import { endpoint } from "#functions/http/endpoint";
import { flag, integer, time } from "#functions/http/query";
import { makeForge } from "#tests/support/forge";
import { z } from "#zod";

const Thing = z.object({
  title: z.string().min(1).max(10),
  due_date: z.string().optional(),
  count: z.int().optional(),
  parts: z.array(z.object({ name: z.string(), size: z.int().optional() })).optional(),
});
const common = { tag: "miscellaneous", summary: "for tests", needs: {}, errors: [] } as const;

const postThing = endpoint({
  ...common,
  id: "postThing",
  method: "post",
  path: "/things",
  body: Thing,
  status: 201,
  returns: { json: z.unknown() },
  handle: async ({ body }) => body,
});
const getThings = endpoint({
  ...common,
  id: "getThings",
  method: "get",
  path: "/things",
  query: { since: time, draft: flag, size: integer },
  status: 200,
  returns: { list: z.unknown() },
  handle: async ({ query: asked }) => ({ items: [asked], total: 1 }),
});
const refuse = endpoint({
  ...common,
  id: "refuse",
  method: "get",
  path: "/refusals/{kind}",
  status: 204,
  handle: async ({ params }) => {
    if (params.kind === "conflict") throw conflict("somebody was faster");
    if (params.kind === "unavailable") throw unavailable("busy");
    throw new Error("the database password is hunter2");
  },
});
const render = endpoint({
  ...common,
  id: "render",
  method: "post",
  path: "/render",
  body: z.string(),
  bodyType: "text/plain",
  status: 200,
  returns: { html: true },
  handle: async ({ body }) => `<p>${body}</p>`,
});

let forge: Forge;
let stop: () => Promise<void>;
let app: ReturnType<typeof createApi>;

beforeAll(async () => {
  ({ forge, stop } = await makeForge());
  app = createApi({ forge, endpoints: [postThing, getThings, refuse, render] });
});
afterAll(() => stop());

const send = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
  app.request(`/api/v1${path}`, {
    method,
    headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
    ...defined({ body }),
  });
const message = async (response: Response) => ((await response.json()) as { message: string }).message;

describe("a JSON body", () => {
  it("is read whatever the case of its keys; unknown keys are ignored and null counts as absent", async () => {
    const response = await send("POST", "/things", '{"TITLE":"a","due_date":null,"Count":3,"other":1}');
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ title: "a", count: 3 });
  });

  it("is read so inside lists, too, whatever their members are called (semantics §1.1)", async () => {
    const parts = '[{"Name":"a","SIZE":null,"__proto__":{},"constructor":{}}]';
    const response = await send("POST", "/things", `{"title":"a","Parts":${parts}}`);
    expect(await response.json()).toEqual({ title: "a", parts: [{ name: "a" }] });
    const refused = await send("POST", "/things", '{"title":"a","parts":[{"name":"a"},{"SIZE":1}]}');
    expect(await message(refused)).toBe("[Parts.1.Name]: Required");
  });

  it.each([
    ["{}", "[Title]: Required"],
    ['{"title":""}', "[Title]: Required"],
    ['{"title":"12345678901"}', "[Title]: MaxSize 10"],
    ['{"title":"a","due_date":5}', "[DueDate]: "],
    ['{"title":5}', "[Title]: Invalid input: expected string"],
    ['{"title":"a","count":"many"}', "[Count]: "],
    ["[1]", "[]: "],
    ['"text"', "[]: "],
    ["{bad", "[]: "],
  ])("422: %s is told as %s (ERR-422)", async (body, expected) => {
    const response = await send("POST", "/things", body);
    expect(response.status).toBe(422);
    expect(await message(response)).toContain(expected);
  });

  it("413: ten megabytes are refused, with or without an honest length (LIM-8)", async () => {
    const large = JSON.stringify({ title: "x".repeat(10 * 1024 * 1024) });
    const honest = await send("POST", "/things", large);
    expect(honest.status).toBe(413);
    expect(await message(honest)).toContain("1048576 bytes");
    const parts = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    const unsized = await app.request("/api/v1/things", {
      method: "POST",
      body: parts,
      duplex: "half",
    } as RequestInit);
    expect(unsized.status).toBe(413);
  });

  it("415: another media type names the right one; a missing one is read as JSON", async () => {
    const response = await send("POST", "/things", "title: a", { "content-type": "application/yaml" });
    expect(response.status).toBe(415);
    expect(await message(response)).toContain("application/json");
    const typed = await send("POST", "/things", '{"title":"a"}', {
      "content-type": "application/json; charset=utf-8",
    });
    expect(typed.status).toBe(201);
    const untyped = await app.request("/api/v1/things", {
      method: "POST",
      body: Buffer.from('{"title":"a"}'),
    });
    expect(untyped.status).toBe(201);
  });

  it("201: JSON under one of its other names; 415: what only sounds like it", async () => {
    for (const type of ["application/vnd.github+json", "application/scim+json; charset=utf-8", "text/json"]) {
      expect((await send("POST", "/things", '{"title":"a"}', { "content-type": type })).status).toBe(201);
    }
    for (const type of ["application/json5", "text/plain+json", "application/+json", "application/x+jsonl"]) {
      expect((await send("POST", "/things", '{"title":"a"}', { "content-type": type })).status).toBe(415);
    }
  });

  it("200: whatever the Accept header asks for, as in the family", async () => {
    for (const accept of ["text/html", "application/vnd.github+json", "*/*", "nonsense"]) {
      expect((await send("GET", "/things", undefined, { accept })).status).toBe(200);
    }
  });

  it("415: a compressed body is refused as such, not as broken JSON", async () => {
    const body = gzipSync('{"title":"a"}');
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const response = await app.request("/api/v1/things", { method: "POST", headers, body });
    expect(response.status).toBe(415);
    expect(await message(response)).toContain("Content-Encoding is gzip");
    const plain = await send("POST", "/things", '{"title":"a"}', { "content-encoding": "identity" });
    expect(plain.status).toBe(201);
  });

  it("422: NUL characters are refused by the name of their field, wherever they stand", async () => {
    const response = await send("POST", "/things", '{"title":"a\\u0000b"}');
    expect([response.status, await message(response)]).toEqual([
      422,
      "[Title]: a text may not hold NUL characters",
    ]);
    expect((await send("GET", "/things?draft=%00")).status).toBe(422);
    expect((await send("POST", "/things", '{"title":"\\\\u0000"}')).status).toBe(201);
  });
});

describe("a text body", () => {
  it("is taken on the route that reads it, and JSON is not", async () => {
    const response = await send("POST", "/render", "hello", { "content-type": "text/plain" });
    expect(await response.text()).toBe("<p>hello</p>");
    expect(response.headers.get("content-type")).toBe("text/html;charset=utf-8");
    expect((await send("POST", "/render", "{}", { "content-type": "application/json" })).status).toBe(415);
  });
});

describe("query values", () => {
  it("semantics §35: flags are true by their words alone, times lose their fractions, empty counts as absent", async () => {
    const response = await send("GET", "/things?draft=T&since=2024-01-31T12:00:00.900%2B02:00&size=");
    expect(await response.json()).toEqual([{ draft: true, since: 1706695200 }]);
    expect(await (await send("GET", "/things?draft=yes")).json()).toEqual([{ draft: false }]);
  });

  it("422: a time or number that is none", async () => {
    expect((await send("GET", "/things?since=yesterday")).status).toBe(422);
    expect((await send("GET", "/things?size=1e3")).status).toBe(422);
  });
});

describe("answers", () => {
  it("D-CACHE: are private and carry an ETag that If-None-Match turns into 304", async () => {
    const first = await send("GET", "/things");
    expect(first.headers.get("cache-control")).toBe("private, max-age=0, must-revalidate, no-transform");
    const etag = first.headers.get("etag") ?? "";
    const again = await send("GET", "/things", undefined, { "if-none-match": `"x", W/${etag}` });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    expect((await send("GET", "/things?draft=1", undefined, { "if-none-match": etag })).status).toBe(200);
  });

  it("HEAD gives the headers of GET without its body", async () => {
    const response = await send("HEAD", "/things");
    expect(response.status).toBe(200);
    expect(response.headers.get("x-total-count")).toBe("1");
    expect(await response.text()).toBe("");
  });

  it("semantics §1.2: every answer names no content to guess and no foreign frame", async () => {
    for (const path of ["/things", "/nope", "/refusals/conflict"]) {
      const response = await send("GET", path);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    }
  });
});

describe("refusals", () => {
  it("404: an unknown path is JSON (ERR-404, ERR-shape)", async () => {
    const response = await send("GET", "/nope");
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: expect.any(String),
      url: `${forge.config.rootUrl}/api/swagger`,
      errors: [],
    });
  });

  it("405: a wrong method names the right ones", async () => {
    const response = await send("DELETE", "/things");
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST, GET, HEAD");
    expect((await send("OPTIONS", "/things")).status).toBe(405);
  });

  it("503 says when to come back", async () => {
    const response = await send("GET", "/refusals/unavailable");
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("500 tells the request's id and nothing else of what went wrong", async () => {
    const response = await send("GET", "/refusals/surprise");
    expect(response.status).toBe(500);
    const text = await message(response);
    expect(text).toContain(response.headers.get("x-request-id"));
    expect(text).not.toContain("hunter2");
  });
});
