import { afterAll, beforeAll, expect } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { openIssue } from "./make.ts";

export let api: TestApi;
export let owner: Caller;
export let where: TestRepository;

/** The table's work for the second of two such calls, caller and repository included. */
export async function cost(method: string, path: string, body?: () => object): Promise<string> {
  const call = () => api.call(method, `${where.path}${path}`, { as: owner, ...(body && { body: body() }) });
  await call();
  const { status, headers, text } = await call();
  expect([200, 201], text).toContain(status);
  return headers.get("server-timing")?.match(/table;desc="([^"]*)"/)?.[1] ?? "";
}

let changed = 0;
export const title = () => {
  changed += 1;
  return { title: `Title ${changed}` };
};

export const body = () => ({ body: title().title });

/** Makes it before the tests of a file, and takes it away after them. */
export function useIssues(): void {
  beforeAll(async () => {
    api = await makeApi({ simulation: false });
    owner = await api.makeUser({ name: "olga" });
    where = await makeRepository(api, owner);
    await openIssue(api, where, owner);
  });
  afterAll(() => api.stop());
}
