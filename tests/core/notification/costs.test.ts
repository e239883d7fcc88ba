import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Notification } from "#core/notification/notification.table";
import { spreadNews } from "#core/notification/spread";
import { surplusOf } from "#core/notification/sweep";
import { openIssue, tableRequests } from "#tests/api/issue/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { measured } from "#tests/support/measured";
import { addWatchers } from "./make.ts";

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
