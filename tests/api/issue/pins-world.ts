import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { openIssue } from "./make.ts";

export let api: TestApi;
export let owner: Caller;
export let writer: Caller;
export let where: TestRepository;

export const pinOf = (method: string, number: number, as: Caller | undefined = owner, position = "") =>
  api.call(method, `${where.path}/issues/${number}/pin${position}`, { as });
export const pin = async (...numbers: number[]) => {
  for (const number of numbers) expect((await pinOf("POST", number)).status).toBe(204);
};
/** Numbers and places as the list, the issues themselves, and the check of the data see them. */
export async function pinned(): Promise<number[]> {
  const rows = (await api.call("GET", `${where.path}/issues/pinned`)).json;
  const numbers = rows.map((row: { number: number }) => row.number);
  expect(rows.map((row: { pin_order: number }) => row.pin_order)).toEqual(
    numbers.map((_number: number, place: number) => place + 1),
  );
  expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  return numbers;
}

/** Makes it before the tests of a file, and takes it away after them. */
export function usePins(): void {
  beforeAll(async () => {
    api = await makeApi();
    owner = await api.makeUser({ name: "olga" });
    writer = await api.makeUser({ name: "willa" });
  });
  beforeEach(async () => {
    where = await makeRepository(api, owner);
    for (let number = 1; number <= 4; number += 1) await openIssue(api, where, owner);
  });
  afterAll(() => api.stop());
}
