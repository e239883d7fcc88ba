import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Notification, notificationsOf } from "#core/notification/notification.table";
import { spreadNews } from "#core/notification/spread";
import { surplusOf } from "#core/notification/sweep";
import { openIssue, tableRequests } from "#tests/api/issue/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { runJobs } from "#tests/support/jobs";
import { measured } from "#tests/support/measured";
import { addNotifications, addWatchers } from "./make.ts";

let api: TestApi;
let owner: Caller;
let repository: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser();
  repository = await makeRepository(api, owner);
});
afterAll(() => api.stop());

async function costOfIssue() {
  const { number } = await openIssue(api, repository, owner);
  const { id: repositoryId } = repository.repository;
  const news = { repositoryId, number, actorId: owner.user.id, at: api.clock.now(), isFirst: true } as const;
  const { usage } = await measured(() => spreadNews(api.forge, news, randomUUID()));
  return [usage.tableRequests, usage.tableReadUnits, usage.tableWriteUnits];
}

it("an event costs by whom it tells: nobody, one user, a hundred", async () => {
  const { id } = repository.repository;
  const nobody = await costOfIssue();
  await addWatchers(api.forge, owner.user, id, 1_000, 1);
  const one = await costOfIssue();
  await addWatchers(api.forge, owner.user, id, 1_001, 99);
  const hundred = await costOfIssue();
  expect({ nobody, one, hundred }).toEqual({
    nobody: [5, 6, 0],
    one: [11, 14, 11],
    hundred: [19, 609, 812],
  });
});

it("GET /notifications/new takes 4 requests with the caller, however many there are", async () => {
  const reader = await api.makeUser();
  const read = () => api.call("GET", "/notifications/new", { as: reader });
  await read();
  expect(tableRequests(await read())).toBe(2);
  for (let made = 0; made < 3; made += 1) {
    const its = await makeRepository(api, owner);
    const { number } = await openIssue(api, its, owner);
    const news = { repositoryId: its.repository.id, number, actorId: owner.user.id, at: api.clock.now() };
    await spreadNews(api.forge, { ...news, userIds: [reader.user.id] }, randomUUID());
  }
  const answer = await read();
  expect([answer.json.new, tableRequests(answer)]).toEqual([3, 4]);
});

it("a list reads rights on 90 repositories, or until its page is full; its total is not exact then (D-TOTAL)", async () => {
  const answerOf = async (repositories: number, page: number) => {
    const reader = await api.makeUser();
    const { id } = repository.repository;
    const gone = Array.from({ length: repositories - 1 }, (_, other) => id + 1_000_001 + other);
    await addNotifications(api.forge, reader.user.id, gone, 1);
    await addNotifications(api.forge, reader.user.id, [id], 3);
    const path = `/notifications?limit=1&page=${page}`;
    await api.call("GET", path, { as: reader });
    const answer = await api.call("GET", path, { as: reader });
    const { headers, json } = answer;
    const isLastKnown = headers.get("link")?.includes('rel="last"') === true;
    const total = [headers.get("x-total-count"), headers.get("x-total-count-exact")];
    return { shown: json.length, total, isLastKnown, requests: tableRequests(answer) };
  };
  const few = await answerOf(90, 1);
  expect(few).toMatchObject({ shown: 1, total: ["3", null], isLastKnown: true });
  expect(await answerOf(151, 1)).toEqual({ ...few, total: ["3", "false"], isLastKnown: false });
  const last = await answerOf(151, 3);
  expect(last).toMatchObject({ shown: 1, total: ["3", null] });
  expect(last.requests).toBeGreaterThan(few.requests);
});

it("a user keeps read ones for 90 days, and 5,000 of all: pinned ones longest", () => {
  const day = 24 * 3_600_000;
  const now = 1_000 * day;
  const one = (id: number, status: Notification["status"], ageDays: number) =>
    ({ id, status, at: now - ageDays * day }) as Notification;
  const aged = [one(1, "read", 91), one(2, "read", 89), one(3, "unread", 900), one(4, "pinned", 900)];
  expect(surplusOf(aged, now).map(({ id }) => id)).toEqual([1]);
  const many = Array.from({ length: 5_001 }, (_, place) => one(place + 10, "unread", 1));
  const surplus = surplusOf([one(5, "pinned", 900), one(6, "read", 0), ...many], now);
  expect(surplus.map(({ id }) => id)).toEqual([6, 10, 11]);
});

/** Takes a user, who was told so much of each of so many hidden repositories, out of the first. */
async function costOfDeparture(repositories: number, toldOfEach: number) {
  const reader = await api.makeUser();
  const as = await api.makeUser();
  const lost: TestRepository[] = [];
  for (let made = 0; made < repositories; made += 1) {
    lost.push(await makeRepository(api, as, { isPrivate: true }));
    await addNotifications(api.forge, reader.user.id, [lost.at(-1)?.repository.id ?? 0], toldOfEach);
  }
  await addNotifications(api.forge, reader.user.id, [repository.repository.id], 1);
  const path = `${lost[0]?.path}/collaborators/${reader.name}`;
  await api.call("PUT", path, { as, body: { permission: "read" } });
  const request = tableRequests(await api.call("DELETE", path, { as }));
  const { usage } = await measured(() => runJobs(api, "settle-departure"));
  const kept = await api.forge.table.queryAll<Notification>(notificationsOf(reader.user.id));
  return { request, read: usage.tableReadUnits, kept: kept.map(({ repositoryId }) => repositoryId) };
}

it("who loses repositories loses what these told them by a job, which reads each notification once", async () => {
  const none = await costOfDeparture(1, 0);
  const one = await costOfDeparture(1, 120);
  const ten = await costOfDeparture(10, 12);
  expect([one.request, ten.request]).toEqual([none.request, none.request]);
  expect([one.kept, ten.kept]).toEqual([[repository.repository.id], [repository.repository.id]]);
  expect([one.read, ten.read]).toEqual([29, 29 + 9 * 3]); // the rights on a repository take 3
});
