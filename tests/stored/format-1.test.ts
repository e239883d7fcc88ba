import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataFormat, readDataFormat } from "#core/data-format";
import { defined } from "#core/defined";
import { checkTable } from "#core/lifecycle/check/check";
import { kindFinder } from "#core/lifecycle/item-kinds";
import { lifecycles } from "#core/lifecycle/registry";
import type { Item } from "#core/table/write";
import { createToken } from "#core/token/token";
import type { User } from "#core/user/user.table";
import { makeApi, type TestApi } from "#tests/support/api";
import { finishEvents } from "../api/repository/furnish.ts";
import { loadSample, sampleSettings } from "./sample-file.ts";

/** Data as it was stored when format 1 began: later programs read it, or bring it along by a job. */
let api: TestApi;
let items: Item[];
let token: string;

beforeAll(async () => {
  api = await makeApi({ settings: sampleSettings });
  items = await loadSample(api.forge, 1);
  api.clock.advance(24 * 3_600_000);
  const alice = items.find(({ sk, name }) => sk === "#" && name === "alice") as User;
  token = (await createToken(api.forge, alice, { name: "later", scopes: ["all"] })).text;
});
afterAll(() => api.stop());

async function findings(): Promise<string[]> {
  const found: string[] = [];
  for await (const { invariant, key, problem } of checkTable(api.forge)) {
    found.push(`${invariant} ${key} ${problem}`);
  }
  return found;
}

async function ask(method: string, path: string, body?: object) {
  const headers = { authorization: `token ${token}` };
  const { status, json, text } = await api.call(method, path, { headers, ...defined({ body }) });
  expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return json;
}

describe("stored data of format 1", () => {
  it("is of the present format, of kinds that nouns declare, and breaks no invariant", async () => {
    expect(await readDataFormat(api.forge.table)).toBe(dataFormat);
    const kindOf = kindFinder(lifecycles.flatMap((one) => one.items));
    const kinds = new Set(items.map((item) => kindOf(item)?.at ?? `${item.pk} / ${item.sk}`));
    const known = lifecycles.flatMap((one) => one.items.map(({ at }) => at));
    expect([...kinds].filter((at) => !known.includes(at))).toEqual([]);
    expect(kinds.size).toBeGreaterThan(90);
    expect(await findings()).toEqual([]);
  });

  it("is shown as it was made", async () => {
    const repositories = await ask("GET", "/user/repos?order_by=size");
    expect(repositories.map((one: { full_name: string }) => one.full_name).sort()).toEqual([
      ...["acme/code", "acme/long", "alice/laden", "alice/long", "alice/other"],
    ]);
    expect(await ask("GET", "/repos/alice/laden")).toMatchObject({
      ...{ full_name: "alice/laden", open_issues_count: 2, stars_count: 1, language: "TypeScript" },
      description: "with something of everything",
    });
    const [second, first] = await ask("GET", "/repos/alice/laden/issues?state=open");
    expect([second.title, first.title, first.labels[0].name, first.milestone.title]).toEqual([
      ...["two", "one", "bug", "soon"],
    ]);
    expect(await ask("GET", "/repos/alice/laden/issues/1/comments")).toMatchObject([
      { body: "@alice words" },
    ]);
    expect((await ask("GET", "/repos/alice/laden/issues?q=words")).length).toBe(1);
    expect((await ask("GET", "/repos/alice/long/issues/1")).state).toBe("closed");
    expect((await ask("GET", "/repos/alice/long/commits?limit=50")).length).toBe(19);
    expect((await ask("GET", "/repos/acme/code/contents/a.txt")).content).toBe("aGk=");
    expect((await ask("GET", "/repos/acme/long/contents/16.txt")).name).toBe("16.txt");
    expect((await ask("GET", "/repos/alice/laden/wiki/page/Home")).title).toBe("Home");
    expect((await ask("GET", "/users/renamed")).login).toBe("renamed");
    const moved = await api.call("GET", "/repos/alice/loaded", {
      headers: { authorization: `token ${token}` },
    });
    expect([moved.status, moved.headers.get("location")]).toEqual([
      307,
      expect.stringMatching(/alice\/laden$/),
    ]);
  });

  it("goes on: what is written upon it breaks no invariant either", async () => {
    expect(
      (await ask("POST", "/repos/alice/laden/issues", { title: "later", body: "closes #1" })).number,
    ).toBe(4);
    await ask("PATCH", "/repos/alice/laden/issues/1", { state: "closed" });
    const content = { content: "aGk=", message: "after #2" };
    await ask("POST", "/repos/alice/long/contents/later.txt", content);
    await ask("PATCH", "/repos/alice/other", { name: "another" });
    await ask("DELETE", "/repos/acme/long");
    await finishEvents(api);
    expect(await findings()).toEqual([]);
  });
});
