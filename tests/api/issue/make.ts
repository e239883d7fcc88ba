import { entryPrefix, type TimelineEntry } from "#core/comment/comment.table";
import { type Issue, issueKey, issuePartition } from "#core/issue/issue.table";
import { issueClearingKind } from "#core/issue/removal/remove";
import type { TestRepository } from "#tests/api/repository/make";
import { fillWith } from "#tests/core/issue/make";
import type { ApiAnswer, Caller, TestApi } from "#tests/support/api";
import { runJobs } from "#tests/support/jobs";
import { setIssue } from "#tests/support/set-listed";

/** Locks an issue. */
export const lockIssue = (api: TestApi, { repository }: TestRepository, number: number) =>
  setIssue(api.forge, repository.id, number, { isLocked: true });

/** Opens an issue; the answer's JSON. */
export async function openIssue(
  api: TestApi,
  { path }: TestRepository,
  as: Caller,
  body: object = {},
): Promise<ApiAnswer["json"]> {
  const answer = await api.call("POST", `${path}/issues`, { as, body: { title: "An issue", ...body } });
  if (answer.status !== 201) throw new Error(`no issue was made: ${answer.text}`);
  return answer.json;
}

/** Fills a repository that has one issue with `count` more, without their counts: for tests of lists. */
export async function fillIssues(
  api: TestApi,
  { repository }: TestRepository,
  count: number,
  vary: (number: number) => Partial<Issue>,
): Promise<void> {
  const first = await api.forge.table.get<Issue>(issueKey(repository.id, 1));
  if (first === undefined) throw new Error("there is no issue to go by");
  await fillWith(api.forge, first, count, vary);
}

/** Comments on an issue; the answer's JSON. */
export async function addComment(
  api: TestApi,
  { path }: TestRepository,
  number: number,
  as: Caller,
  body = "A comment",
): Promise<ApiAnswer["json"]> {
  const answer = await api.call("POST", `${path}/issues/${number}/comments`, { as, body: { body } });
  if (answer.status !== 201) throw new Error(`no comment was made: ${answer.text}`);
  return answer.json;
}

/** How many requests to the table an answer took, from its `Server-Timing`. */
export const tableRequests = (answer: ApiAnswer): number =>
  Number(answer.headers.get("server-timing")?.match(/table;desc="(\d+) requests/)?.[1]);

/** A call with a token that covers these scopes alone. */
export async function withScopes(api: TestApi, caller: Caller, scopes: readonly string[]): Promise<Caller> {
  return { ...caller, token: await api.makeToken(caller, scopes) };
}

/** The entries of an issue's timeline as they are stored, in order. */
export const timelineOf = (api: TestApi, { repository }: TestRepository, number: number) =>
  api.forge.table.queryAll<TimelineEntry>({ pk: issuePartition(repository.id, number), prefix: entryPrefix });

/** Runs the jobs that empty deleted issues to their end. */
export const emptyDeletedIssues = (api: TestApi): Promise<void> => runJobs(api, issueClearingKind);
