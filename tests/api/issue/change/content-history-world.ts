import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { commentPlace, entryKey, type TimelineEntry } from "#core/comment/comment.table";
import { editPrefix, type TextEdit } from "#core/content-history/content-history.table";
import { defined } from "#core/defined";
import { type Issue, issueKey, issuePartition, issuePlace } from "#core/issue/issue.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { addComment, openIssue } from "../make.ts";
import { listContentHistory } from "./list-content-history.ts";

export let api: TestApi;
export let owner: Caller;
export let writer: Caller;
export let where: TestRepository;
export const call = async (method: string, path: string, body?: object, as = owner) => {
  const answer = await api.call(method, `${where.path}${path}`, { as, ...defined({ body }) });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
};
export const patch = (path: string, body: object, as = owner) => call("PATCH", path, body, as);
const everything = { page: 1, limit: 50 };
async function ofIssue(page = everything, number = 1) {
  const issue = await api.forge.table.get<Issue>(issueKey(where.repository.id, number));
  if (issue === undefined) throw new Error("the issue is not there");
  return listContentHistory(api.forge, issuePlace(issue), issue, page);
}
async function ofComment(id: number, page = everything) {
  const comment = await api.forge.table.get<TimelineEntry>(entryKey(where.repository.id, 1, id));
  if (comment === undefined) throw new Error("the comment is not there");
  return listContentHistory(api.forge, commentPlace(comment), comment, page);
}
export const stored = () =>
  api.forge.table.queryAll<TextEdit>({ pk: issuePartition(where.repository.id, 1), prefix: editPrefix });

/** The texts that have a history, and the ways to rewrite them. */
export const kinds = [
  {
    kind: "an issue (issueEditIssue)",
    make: async () => ({ id: 0, path: "/issues/1" }),
  },
  {
    kind: "a comment (issueEditComment)",
    make: async () => {
      const { id } = await addComment(api, where, 1, owner, "first");
      return { id, path: `/issues/comments/${id}` };
    },
  },
  {
    kind: "a comment (issueEditCommentDeprecated)",
    make: async () => {
      const { id } = await addComment(api, where, 1, owner, "first");
      return { id, path: `/issues/1/comments/${id}` };
    },
  },
];
export const listOf = (id: number, page = everything) => (id === 0 ? ofIssue(page) : ofComment(id, page));

/** Makes it before the tests of a file, and takes it away after them. */
export function useHistories(): void {
  beforeAll(async () => {
    api = await makeApi();
    [owner, writer] = [await api.makeUser(), await api.makeUser()];
  });
  beforeEach(async () => {
    where = await makeRepository(api, owner);
    const body = { permission: "write" };
    await api.call("PUT", `${where.path}/collaborators/${writer.name}`, { as: owner, body });
    await openIssue(api, where, owner, { title: "one", body: "first" });
  });
  afterAll(() => api.stop());
}
