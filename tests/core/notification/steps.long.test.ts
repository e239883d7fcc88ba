import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { News } from "#core/notification/news";
import { type Notification, notificationsOf, unreadCountKey } from "#core/notification/notification.table";
import { spreadKind, spreadNews } from "#core/notification/spread";
import { openIssue } from "#tests/api/issue/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";
import { runJobs } from "#tests/support/jobs";
import { measured } from "#tests/support/measured";
import { addWatchers } from "./make.ts";

/** Three steps: 500, 500, and 100 with the owner. */
const watchers = 1_100;

let api: TestApi;
let owner: Caller;
let repository: TestRepository;
let ids: number[];

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser();
  repository = await makeRepository(api, owner);
  ids = await addWatchers(api.forge, owner.user, repository.repository.id, 1_000, watchers);
}, 120_000);
afterAll(async () => {
  await api.stop();
});

async function newsOfIssue(): Promise<News> {
  const { number } = await openIssue(api, repository, owner);
  const { repository: its } = repository;
  return { repositoryId: its.id, number, actorId: owner.user.id, at: api.clock.now(), isFirst: true };
}

const toldOf = async (userId: number): Promise<Notification[]> =>
  api.forge.table.queryAll<Notification>(notificationsOf(userId));

it("goes on in steps of 500 and survives a kill between any two writes of a step", async () => {
  const kills = [
    { write: 1, when: "before" },
    { write: 2, when: "after" },
    { write: 13, when: "after" },
    { write: 26, when: "before" },
    { write: 27, when: "after" },
    { write: 40, when: "before" },
    { write: 54, when: "after" },
    { write: 60, when: "before" },
  ] as const;
  const numbers: number[] = [];
  for (const { write, when } of kills) {
    const news = await newsOfIssue();
    numbers.push(news.number ?? 0);
    const eventId = randomUUID();
    api.faults.crashAt(write, when);
    await spreadNews(api.forge, news, eventId).catch(() => undefined);
    await runJobs(api, spreadKind).catch(() => undefined);
    expect([write, api.faults.hasCrashed]).toEqual([write, true]);
    api.faults.recover();
    api.clock.advance(10 * 60_000); // the lease of the killed worker is over
    await spreadNews(api.forge, news, eventId); // the message comes again
    await runJobs(api, spreadKind);
    await spreadNews(api.forge, news, eventId); // and once more, late
    await runJobs(api, spreadKind);
  }
  const { id: repositoryId } = repository.repository;
  for (const userId of [ids[0], ids[499], ids[500], ids[1_000], ids.at(-1)]) {
    const told = await toldOf(userId as number);
    expect(told.map(({ number }) => number).sort((one = 0, other = 0) => one - other)).toEqual(numbers);
    const count = await api.forge.table.get(unreadCountKey(userId as number, repositoryId));
    expect(count).toMatchObject({ n: kills.length, issue: kills.length });
  }
  expect(await toldOf(owner.user.id)).toEqual([]);
  expect((await findingsOf(api)).filter(({ invariant }) => invariant === 48)).toEqual([]);
}, 600_000);

it("takes a request for six users and 15 units for each, or less", async () => {
  const news = await newsOfIssue();
  const { usage } = await measured(async () => {
    await spreadNews(api.forge, news, randomUUID());
    await runJobs(api, spreadKind);
  });
  const { tableRequests, tableReadUnits, tableWriteUnits } = usage;
  expect(tableRequests / watchers).toBeLessThan(0.17);
  expect(tableReadUnits / watchers).toBeLessThan(6.5);
  expect(tableWriteUnits / watchers).toBeLessThan(8.5);
}, 300_000);
