import { afterAll, beforeAll, expect } from "vitest";
import { defined } from "#core/defined";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
export let boss: Caller;

export async function make(method: string, path: string, as: Caller, body?: object): Promise<JsonValue> {
  const answer = await api.call(method, path, { as, ...defined({ body }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json;
}
export const transfer = async (path: string, as: Caller, new_owner: string, more: object = {}) =>
  (await api.call("POST", `/repos/${path}/transfer`, { as, body: { new_owner, ...more } })).status;

/** Makes it before the tests of a file, and takes it away after them. */
export function useTransfers(): void {
  beforeAll(async () => {
    api = await makeApi();
    alice = await api.makeUser({ name: "alice" });
    bob = await api.makeUser({ name: "bob" });
    boss = await api.makeUser({ name: "boss", isAdmin: true });
  });
  afterAll(() => api.stop());
}
