import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cost, tryCount } from "#core/caller/rates";
import { gaveWay } from "#core/capacity/intake";
import { readConfig } from "#core/config";
import { unavailable } from "#core/errors";
import type { Endpoint } from "#functions/http/endpoint";
import { openApiDocument } from "#functions/openapi/openapi";
import { documentedPath } from "#functions/openapi/openapi-route";
import { basic, makeApi, type TestApi } from "#tests/support/api";
import { endpoints } from "#tests/support/endpoints";
import { lowRates } from "#tests/support/suite/rates";
import { testTitles } from "../spec/titles.mjs";
import { makeRefusalWorld, type RefusalWorld } from "./refusal-world.ts";
import { sampleBody } from "./sample-body.ts";

/**
 * Every refusal that an operation declares is provoked: those that any operation may give by a recipe for all of them,
 * here; those of its own by tests of its own, whose titles name the operation and the status.
 */
const document = await openApiDocument(endpoints, readConfig({}));

let api: TestApi;
let limited: TestApi;
let world: RefusalWorld;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  limited = await makeApi({ simulation: false, settings: lowRates });
  world = await makeRefusalWorld(api);
});
afterAll(() => Promise.all([api.stop(), limited.stop()]));

type Sent = Parameters<TestApi["call"]>[2];
const send = (one: Endpoint, sent: Sent, path = world.pathOf(one)) =>
  api.call(one.method.toUpperCase(), path, sent);
const bossly = () => basic(world.boss.name, world.boss.password);

/** The first parameter of a path, malformed: no text has these bytes. */
const malformedPath = (one: Endpoint) => one.path.replace(/\{\w+\}/, "%ff").replace(/\{\w+\}/g, "1");
const isNamed = ({ path }: Endpoint) => path.includes("{");
const readsJson = ({ body, bodyType }: Endpoint) => body !== undefined && bodyType !== "text/plain";
const readsBody = ({ body }: Endpoint) => body !== undefined;
/** A file may be announced in JSON. */
const mayReadJson = ({ body, takesFile = {} }: Endpoint) =>
  body !== undefined || "application/json" in takesFile;

const hasQuery = ({ query = {} }: Endpoint) => Object.keys(query).length > 0;

/** A body that comes so slowly that others who wait are served first. */
const slowBody = () =>
  new ReadableStream({
    pull: (controller) => controller.error(gaveWay()),
  });

interface Recipe {
  readonly status: number;
  readonly how: string;
  readonly fits: (one: Endpoint) => boolean;
  readonly provoke: (one: Endpoint) => Promise<number>;
  /** How many operations are called at the same time. */
  readonly atOnce?: number;
}

const recipes: readonly Recipe[] = [
  {
    ...{ status: 400, how: "a name in the path that is no text", fits: isNamed },
    provoke: async (one) => (await send(one, {}, malformedPath(one))).status,
  },
  {
    ...{ status: 400, how: "a form that is cut off", fits: (one) => readsJson(one) && !isNamed(one) },
    provoke: async (one) => {
      const headers = { ...bossly(), "content-type": "multipart/form-data; boundary=x" };
      return (await send(one, { headers, raw: "--x\r\n" })).status;
    },
  },
  {
    ...{ status: 401, how: "a token that nobody has", fits: () => true },
    provoke: async (one) =>
      (await send(one, { headers: { authorization: `token ${"0".repeat(40)}` } })).status,
  },
  {
    ...{ status: 403, how: "sudo of who is no administrator", fits: () => true },
    provoke: async (one) => (await send(one, { as: world.stranger, headers: { sudo: "boss" } })).status,
  },
  {
    ...{ status: 404, how: "sudo as nobody", fits: () => true },
    provoke: async (one) => (await send(one, { as: world.boss, headers: { sudo: "nobody" } })).status,
  },
  {
    ...{ status: 408, how: "a body that comes too slowly", fits: mayReadJson },
    provoke: async (one) => {
      const headers = { ...bossly(), "content-type": one.bodyType ?? "application/json" };
      const init = { method: one.method.toUpperCase(), headers, body: slowBody(), duplex: "half" };
      const where = { clientAddress: "192.0.2.1" };
      return (await api.app.request(`/api/v1${world.pathOf(one)}`, init as RequestInit, where)).status;
    },
  },
  {
    ...{ status: 413, how: "a body beyond the bound", fits: mayReadJson },
    provoke: async (one) => {
      const type = one.bodyType ?? "application/json";
      const headers = { ...bossly(), "content-length": String(2 ** 40), "content-type": type };
      return (await send(one, { headers, raw: "{}" })).status;
    },
  },
  {
    ...{ status: 415, how: "a body of another type", fits: readsBody },
    provoke: async (one) => {
      const headers = { ...bossly(), "content-type": "image/png" };
      return (await send(one, { headers, raw: "x" })).status;
    },
  },
  {
    ...{ status: 415, how: "a POST of another site's page", fits: ({ method }) => method === "post" },
    provoke: async (one) => {
      const headers = { ...bossly(), "sec-fetch-site": "cross-site", "content-type": "text/plain" };
      return (await send(one, { headers, raw: "x" })).status;
    },
  },
  {
    ...{
      status: 422,
      how: "a body that is no JSON",
      fits: (one) => readsBody(one) && one.bodyType === undefined,
    },
    provoke: async (one) => {
      const headers = { ...bossly(), "content-type": "application/json" };
      return (await send(one, { headers, raw: "{" })).status;
    },
  },
  {
    ...{ status: 422, how: "a query that holds NUL", fits: hasQuery },
    provoke: async (one) => {
      const query = Object.keys(one.query ?? {}).map((name) => `${name}=%00`);
      return (await send(one, { headers: bossly() }, `${world.pathOf(one)}?${query.join("&")}`)).status;
    },
  },
  {
    ...{
      status: 423,
      how: "an archived repository",
      fits: ({ refusesArchived }) => refusesArchived === true,
    },
    provoke: async (one) => {
      const body = readsBody(one) ? { body: sampleBody(one) } : {};
      return (await send(one, { headers: bossly(), ...body }, world.pathOf(one, { repo: "old" }))).status;
    },
  },
  {
    ...{ status: 429, how: "a network that sent all that it may", fits: () => true },
    atOnce: 1,
    provoke: async (one) => {
      for (const cost of ["light", "heavy", "password"] satisfies Cost[]) {
        while (tryCount(limited.forge, { address: "192.0.2.1" }, cost) === 0);
      }
      return (await limited.call(one.method.toUpperCase(), world.pathOf(one))).status;
    },
  },
  ...[
    { status: 500, how: "a fault of our own", fault: new Error("a mistake in a program") },
    { status: 503, how: "a table that does not answer", fault: unavailable("the table does not answer") },
  ].map(({ status, how, fault }) => ({
    ...{ status, how, fits: () => true },
    // The fault is of the service, not of the call.
    atOnce: 1,
    provoke: async (one: Endpoint) => {
      api.faults.inject({ service: "dynamodb", fault, times: Number.POSITIVE_INFINITY });
      const token = Math.random().toString(16).slice(2).padEnd(40, "0");
      const { status: answered } = await send(one, { headers: { authorization: `token ${token}` } });
      api.faults.recover();
      return answered;
    },
  })),
];

/** The refusals that an operation declares in the document. */
const declaredBy = (one: Endpoint): number[] =>
  Object.keys(document.paths[documentedPath(one)]?.[one.method]?.responses ?? {})
    .map(Number)
    .filter((status) => status >= 400);

describe("refusals that any operation may give (ERR-today)", () => {
  it.each(recipes)("$status: $how", async ({ status, fits, provoke, atOnce = 20 }) => {
    const fitting = endpoints.filter(fits);
    const wrong: string[] = [];
    for (let first = 0; first < fitting.length; first += atOnce) {
      const judged = fitting.slice(first, first + atOnce).map(async (one) => {
        const answered = await provoke(one);
        if (answered !== status || !declaredBy(one).includes(status)) wrong.push(`${one.id}: ${answered}`);
      });
      await Promise.all(judged);
    }
    expect(wrong).toEqual([]);
  });
});

/** Refusals that no recipe gives, as `repoGet 409`. */
const ownRefusals = endpoints.flatMap((one) => {
  const general = recipes.filter(({ fits }) => fits(one)).map(({ status }) => status);
  return declaredBy(one)
    .filter((status) => !general.includes(status))
    .map((status) => ({ id: one.id, status }));
});

const titles = testTitles();
const texts = new Map<string, string>();

/** A title over a table stands for what its file names in quotes. */
function isTold(id: string, { file, title }: (typeof titles)[number]): boolean {
  const named = new RegExp(`(?<!\\w)${id}(?!\\w)`);
  if (named.test(title)) return true;
  if (!/%s|\$\w+/.test(title)) return false;
  const text = texts.get(file) ?? readFileSync(file, "utf8");
  texts.set(file, text);
  return new RegExp(`["\\s,]${id}[",]`).test(text);
}

describe("refusals of an operation's own", () => {
  it("are told by a test each, with the operation and the status in its title", () => {
    const untold = ownRefusals.filter(({ id, status }) => {
      const ofStatus = titles.filter(({ title }) => new RegExp(`(?<!\\d)${status}(?!\\d)`).test(title));
      return !ofStatus.some((one) => isTold(id, one));
    });
    expect(untold).toEqual([]);
  });
});
