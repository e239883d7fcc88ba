import { afterAll, beforeAll, beforeEach } from "vitest";
import { entryPrefix, type TimelineEntry } from "#core/comment/comment.table";
import { issuePartition } from "#core/issue/issue.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { openIssue } from "../make.ts";

export let api: TestApi;
export let owner: Caller;
export let author: Caller;
export let writer: Caller;
export let where: TestRepository;
export const hour = 3_600_000;

export const text = (time: number) => new Date(time).toISOString().replace(/\.\d+Z/, "Z");
export const ago = (ms: number) => text(api.clock.now() - ms);
export const edit = (body: object, as: Caller = owner) =>
  api.call("PATCH", `${where.path}/issues/1`, { as, body });
export const issue = async () => (await api.call("GET", `${where.path}/issues/1`)).json;
export const entryDates = async () =>
  (
    await api.forge.table.queryAll<TimelineEntry>({
      pk: issuePartition(where.repository.id, 1),
      prefix: entryPrefix,
    })
  ).map(({ type, createdAt, updatedAt }) => [type, text(createdAt * 1000), text(updatedAt * 1000)]);
export const label = async (name: string) => {
  const body = { name, color: "ff0000" };
  return (await api.call("POST", `${where.path}/labels`, { as: owner, body })).json.id;
};

/** Makes it before the tests of a file, and takes it away after them. */
export function useDates(): void {
  beforeAll(async () => {
    api = await makeApi();
    owner = await api.makeUser({ name: "olga" });
    author = await api.makeUser({ name: "arno" });
    writer = await api.makeUser({ name: "willa" });
  });
  beforeEach(async () => {
    where = await makeRepository(api, owner);
    const body = { permission: "write" };
    await api.call("PUT", `${where.path}/collaborators/willa`, { as: owner, body });
    await openIssue(api, where, author, { title: "Before", body: "old" });
    api.clock.advance(2 * hour);
  });
  afterAll(() => api.stop());
}
