import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "#functions/api/app";
import { endpoint } from "#functions/http/endpoint";
import { makeForge } from "#tests/support/forge";
import { z } from "#zod";

const postThing = endpoint({
  id: "postThing",
  tag: "miscellaneous",
  summary: "for tests",
  needs: {},
  errors: [],
  method: "post",
  path: "/things",
  bodyBytes: 2 * 2 ** 20,
  body: z.object({
    title: z.string().min(1),
    new_username: z.string().optional(),
    count: z.int().nullable().optional(),
    is_private: z.boolean().optional(),
    labels: z.array(z.int()).optional(),
    names: z.array(z.string()).optional(),
    options: z.record(z.string(), z.string()).optional(),
  }),
  status: 201,
  returns: { json: z.unknown() },
  handle: async ({ body }) => body,
});

const deleteThing = endpoint({
  ...{ id: "deleteThing", tag: "miscellaneous", summary: "for tests", needs: {}, errors: [] },
  method: "delete",
  path: "/things",
  body: z.object({ sha: z.string().min(1), count: z.int().optional() }),
  status: 200,
  returns: { json: z.unknown() },
  handle: async ({ body }) => body,
});

let app: ReturnType<typeof createApi>;
let stop: () => Promise<void>;

beforeAll(async () => {
  const made = await makeForge();
  stop = made.stop;
  app = createApi({ forge: made.forge, endpoints: [postThing, deleteThing] });
});
afterAll(() => stop());

const urlEncoded = "application/x-www-form-urlencoded";
const send = async (body: string | FormData, headers: Record<string, string> = {}) => {
  const response = await app.request("/api/v1/things", { method: "POST", body, headers });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};
const sendEncoded = (body: string, headers: Record<string, string> = {}) =>
  send(body, { "content-type": urlEncoded, ...headers });

describe("a form in the place of JSON (semantics §1.1)", () => {
  it("201: texts become the numbers, flags and lists that the operation reads", async () => {
    const { status, json } = await sendEncoded(
      "title=a+b%26c&count=-3&is_private=true&labels=1&labels=2&names=x&other=1",
    );
    expect([status, json]).toEqual([
      201,
      { title: "a b&c", count: -3, is_private: true, labels: [1, 2], names: ["x"] },
    ]);
  });

  it("201: multipart is read alike, and files in it count for nothing", async () => {
    const form = new FormData();
    form.append("title", "déjà vu");
    form.append("IS_PRIVATE", "0");
    form.append("names", new Blob(["x"]), "x.txt");
    const { status, json } = await send(form);
    expect([status, json]).toEqual([201, { title: "déjà vu", is_private: false }]);
  });

  it("201: empty numbers, flags stand for absent; new_name is what the family's forms call new_username", async () => {
    const { json } = await sendEncoded("title=a&count=&is_private=&new_name=b");
    expect(json).toEqual({ title: "a", new_username: "b" });
  });

  it("201: names that every object knows are unknown fields like others", async () => {
    const names = ["constructor", "__proto__", "toString", "hasOwnProperty", "CONSTRUCTOR"];
    const { status, json } = await sendEncoded(`title=a&${names.map((name) => `${name}=1`).join("&")}`);
    expect([status, json]).toEqual([201, { title: "a" }]);
  });

  it.each([
    ["count=1", "[Title]: Required"],
    ["title=a&count=many", "[Count]: "],
    ["title=a&is_private=maybe", "[IsPrivate]: "],
    ["title=a&labels=x", "[Labels.0]: "],
    ["title=a&options=x", "[Options]: "],
    ["title=a%00b", "[Title]: a text may not hold NUL characters"],
  ])("422: %s is told as %s", async (body, expected) => {
    const { status, json } = await sendEncoded(body);
    expect([status, json.message]).toEqual([422, expect.stringContaining(expected)]);
  });

  it("400: a form that is cut off", async () => {
    const body = '--x\r\nContent-Disposition: form-data; name="title"\r\n\r\na';
    expect((await send(body, { "content-type": "multipart/form-data; boundary=x" })).status).toBe(400);
    expect((await send(body, { "content-type": "multipart/form-data" })).status).toBe(400);
  });

  it("415: JSON under a form's type, as curl sends it, names the header to add", async () => {
    const mislabelled = await sendEncoded('{"title":"a"}');
    expect([mislabelled.status, mislabelled.json.message]).toEqual([
      415,
      expect.stringContaining("send the header Content-Type: application/json"),
    ]);
  });

  it("413: a form of more than 1.5 MiB, however few its fields: decoding takes long", async () => {
    const { status, json } = await sendEncoded(`title=a&count=${"+".repeat(1.5 * 2 ** 20)}`);
    expect([status, json.message]).toEqual([413, expect.stringContaining("send more as JSON")]);
  });

  it("413: a form of many thousand fields is refused before it is taken apart", async () => {
    const many = Array.from({ length: 100_000 }, (_, at) => `f${at}=`).join("&");
    expect((await sendEncoded(`${many}&title=a`)).status).toBe(413);
    expect((await sendEncoded(`${"f=&".repeat(900)}title=a`)).json).toEqual({ title: "a" });
  });
});

describe("a DELETE without a body", () => {
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await app.request(`/api/v1${path}`, { method: "DELETE", ...init });
    return { status: response.status, json: (await response.json()) as unknown };
  };

  it("200: is told by its query what a body would say, as the family has it", async () => {
    expect(await ask("/things?sha=a%2Fb&count=3&access=1")).toEqual({
      status: 200,
      json: { sha: "a/b", count: 3 },
    });
  });

  it("422: what is missing there is told as of a body; beside a body the query says nothing of it", async () => {
    expect((await ask("/things")).json).toMatchObject({ message: "[Sha]: Required" });
    expect((await ask("/things?constructor=1")).json).toMatchObject({ message: "[Sha]: Required" });
    const body = JSON.stringify({ count: 1 });
    const headers = { "content-type": "application/json" };
    expect((await ask("/things?sha=a", { body, headers })).status).toBe(422);
  });
});
