import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type MailCount, mailCountKey } from "#core/mail/mail.table";
import { mailNewsKind } from "#core/mail/start-mails";
import type { News } from "#core/notification/news";
import { spreadKind, spreadNews } from "#core/notification/spread";
import { ownerKey } from "#core/owner/owner.table";
import { update } from "#core/table/write";
import type { User } from "#core/user/user.table";
import { openIssue } from "#tests/api/issue/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import { addWatchers } from "#tests/core/notification/make";
import { runJobs } from "#tests/support/jobs";
import { measured } from "#tests/support/measured";
import { type MailWorld, makeMailWorld, receiverOf } from "./world.ts";

let world: MailWorld;

beforeAll(async () => {
  world = await makeMailWorld({ settings: { MAILER_USER_HOURLY_LIMIT: "10000" } });
});
afterAll(() => world.stop());

/** A repository that so many users watch, who have everything mailed, and news of an issue in it. */
async function makeNews(
  firstId: number,
  watchers: number,
): Promise<{ repository: TestRepository; news: News }> {
  const { api, alice } = world;
  const repository = await makeRepository(api, alice);
  const { id: repositoryId } = repository.repository;
  const like: User = { ...alice.user, emailNotifications: "enabled" };
  const ids = await addWatchers(api.forge, like, repositoryId, firstId, watchers);
  for (const id of ids) {
    await api.forge.table.write(update(ownerKey(id), { set: { email: `watcher-${id}@example.com` } }));
  }
  const { number } = await openIssue(api, repository, alice);
  return {
    repository,
    news: { repositoryId, number, actorId: alice.user.id, at: api.clock.now(), isFirst: true },
  };
}

/** How many mails alice caused that were begun in this hour and the next one. */
async function caused(at: number): Promise<number> {
  const { api, alice } = world;
  const hour = Math.floor(at / 3_600_000);
  const keys = [hour, hour + 1].map((one) => mailCountKey(`by-${alice.user.id}`, one));
  const found = await Promise.all(keys.map((key) => api.forge.table.get<MailCount>(key)));
  return found.reduce((sum, count) => sum + (count?.n ?? 0), 0);
}

it("survives a kill between any two writes: everybody gets the mail, and only the one on its way twice", async () => {
  const { api, server } = world;
  const watchers = 8;
  const { news: first } = await makeNews(50_000, watchers);
  const twice: number[] = [];
  for (let write = 1; write <= 40; write += 1) {
    for (const when of ["before", "after"] as const) {
      const news = { ...first, isFirst: undefined, what: "reopened", at: api.clock.now() } as unknown as News;
      const { isFirst: _, ...told } = news;
      const eventId = randomUUID();
      const causedBefore = await caused(news.at);
      api.faults.crashAt(write, when);
      const work = async () => {
        await spreadNews(api.forge, told, eventId);
        await runJobs(api, mailNewsKind);
      };
      await work().catch(() => undefined);
      const hasCrashed = api.faults.hasCrashed;
      api.faults.recover();
      api.clock.advance(10 * 60_000); // the leases of the killed worker are over
      await work();
      await work(); // the message comes once more, late
      const mails = server.taken();
      const receivers = mails.map(receiverOf);
      expect([write, when, new Set(receivers).size]).toEqual([write, when, watchers]);
      expect(receivers.length - watchers).toBeLessThanOrEqual(1);
      if (receivers.length > watchers) twice.push(write);
      const ids = mails.map(({ headers }) => headers.find(([name]) => name === "message-id")?.[1]);
      expect(new Set(ids).size).toBe(1);
      const causedSince = (await caused(news.at)) - causedBefore;
      expect(causedSince, "counted once, or not if the worker was killed first").toBeLessThanOrEqual(
        watchers,
      );
      if (!hasCrashed) expect(causedSince).toBe(watchers);
      if (!hasCrashed) return expect(twice.length).toBeGreaterThan(0);
    }
  }
  throw new Error("the work did not end within 40 writes");
}, 600_000);

it("what an event costs with mail on, for 1 and 100 watchers", async () => {
  const { api, server } = world;
  const costs: Record<number, readonly [number, number, number, number]> = {};
  for (const watchers of [1, 100]) {
    const { news } = await makeNews(60_000 + watchers, watchers);
    const { usage } = await measured(async () => {
      await spreadNews(api.forge, news, randomUUID());
      await runJobs(api, spreadKind);
      for (let round = 0; round < 5; round += 1) await runJobs(api, mailNewsKind);
    });
    expect(server.taken()).toHaveLength(watchers);
    costs[watchers] = [usage.tableRequests, usage.tableReadUnits, usage.tableWriteUnits, usage.queueRequests];
  }
  expect(costs[100]?.[0] ?? 0).toBeLessThan(300);
  expect(costs[100]?.[2] ?? 0).toBeLessThan(1_100);
}, 300_000);
