import { expect } from "vitest";
import { tell } from "#tests/api/notification/make";
import { type ApiAnswer, type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";

/** An API with an administrator. */
export async function startActivity(): Promise<{ readonly api: TestApi; readonly boss: Caller }> {
  const api = await makeApi();
  return { api, boss: await api.makeUser({ name: "boss", isAdmin: true }) };
}

/** Ends it; its data has to be whole. */
export async function endActivity(api: TestApi): Promise<void> {
  expect(await findingsOf(api)).toEqual([]);
  await api.stop();
}

/** A feed, as its list answers it. */
export async function feedOf(
  api: TestApi,
  path: string,
  as?: Caller,
  query = "",
): Promise<{ readonly rows: JsonValue[]; readonly total: number; readonly answer: ApiAnswer }> {
  const answer = await api.call("GET", `${path}/activities/feeds${query}`, { as });
  if (answer.status !== 200) throw new Error(`no feed: ${answer.status} ${answer.text}`);
  return { rows: answer.json, total: Number(answer.headers.get("x-total-count")), answer };
}

/** What its activities are, the newest first. */
export const typesIn = (rows: readonly JsonValue[]): string[] => rows.map(({ op_type: type }) => type);

/** The same as the caller reads it. */
export const typesOf = async (api: TestApi, path: string, as?: Caller, query = ""): Promise<string[]> =>
  typesIn((await feedOf(api, path, as, query)).rows);

/** How much a heat map shows in all. */
export async function heatOf(api: TestApi, name: string, as?: Caller): Promise<number> {
  const { status, json, text } = await api.call("GET", `/users/${name}/heatmap`, { as });
  if (status !== 200) throw new Error(`no heat map: ${status} ${text}`);
  return json.reduce((sum: number, point: JsonValue) => sum + point.contributions, 0);
}

/** Has feeds tell what was done, and lets time pass, so that what follows is newer. */
export async function told(api: TestApi): Promise<void> {
  await tell(api);
  api.clock.advance(1000);
}
