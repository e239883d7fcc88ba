import { expect, it } from "vitest";
import { dataFormat, isOfPresentFormat, readDataFormat } from "#core/data-format";
import { defined } from "#core/defined";
import { kindFinder } from "#core/lifecycle/item-kinds";
import { lifecycles } from "#core/lifecycle/registry";
import type { Item } from "#core/table/write";
import { createToken } from "#core/token/token";
import type { User } from "#core/user/user.table";
import { makeApi, type TestApi } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";
import { finishEvents } from "../api/repository/furnish.ts";
import { loadSample, sampleSettings } from "./sample-file.ts";

/** A forge over a stored sample, a day later, and a way to ask it as its user alice. */
export interface StoredForge {
  readonly api: TestApi;
  readonly items: readonly Item[];
  ask(method: string, path: string, body?: object): Promise<ReturnType<typeof JSON.parse>>;
}

/** Starts a forge over the sample of a format. */
export async function openSample(format: number): Promise<StoredForge> {
  const api = await makeApi({ settings: sampleSettings });
  const items = await loadSample(api.forge, format);
  api.clock.advance(24 * 3_600_000);
  const alice = items.find(({ sk, name }) => sk === "#" && name === "alice") as User;
  const token = (await createToken(api.forge, alice, { name: "later", scopes: ["all"] })).text;
  async function ask(method: string, path: string, body?: object) {
    const headers = { authorization: `token ${token}` };
    const {
      status,
      json,
      text,
      headers: answered,
    } = await api.call(method, path, { headers, ...defined({ body }) });
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(308);
    return answered.get("location") ?? json;
  }
  return { api, items, ask };
}

/** What this program says of a sample that is of the present format by now, and does with it. */
export function itServes(stored: () => StoredForge): void {
  const ask: StoredForge["ask"] = (...asked) => stored().ask(...asked);
  const findings = async () =>
    (await findingsOf(stored().api)).map(({ invariant, key, problem }) => `${invariant} ${key} ${problem}`);

  it("is of the present format, of kinds that nouns declare, and breaks no invariant", async () => {
    const { api, items } = stored();
    expect(await readDataFormat(api.forge.table)).toBe(dataFormat);
    expect(await isOfPresentFormat(api.forge.table)).toBe(true);
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
    expect(await ask("GET", "/repos/alice/loaded")).toMatch(/alice\/laden$/);
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
    await finishEvents(stored().api);
    expect(await findings()).toEqual([]);
  });
}
