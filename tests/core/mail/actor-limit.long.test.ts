import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type MailCount, mailCountKey } from "#core/mail/mail.table";
import { mailNewsKind } from "#core/mail/start-mails";
import { spreadNews } from "#core/notification/spread";
import { runCronTasks } from "#functions/workers/cron-tasks";
import { addComment, openIssue } from "#tests/api/issue/make";
import { listed, tell } from "#tests/api/notification/make";
import { makeBase, openPull } from "#tests/api/pull/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import type { Caller, TestApi } from "#tests/support/api";
import { runJobs } from "#tests/support/jobs";
import { workOnMirrors } from "#tests/support/mirror-work";
import type { ReceivedMail } from "#tests/support/servers/mail-server";
import { type MailWorld, makeMailWorld, watch } from "./world.ts";

const mostPerHour = 5;

let world: MailWorld;
let api: TestApi;
let alice: Caller;
let repository: TestRepository;

beforeAll(async () => {
  world = await makeMailWorld({ settings: { MAILER_ACTOR_HOURLY_LIMIT: String(mostPerHour) } });
  ({ api, alice } = world);
});
afterAll(() => world.stop());
beforeEach(async () => {
  repository = await makeRepository(api, alice);
  api.clock.advance(3_600_000); // nobody has caused a mail in this hour
  api.logged.length = 0;
});

/** So many users who watch the repository and have everything mailed. */
async function makeWatchers(count: number): Promise<Caller[]> {
  const watchers: Caller[] = [];
  for (let made = 0; made < count; made += 1) {
    const one = await world.makeReader("enabled");
    await watch(api, repository, one);
    watchers.push(one);
  }
  return watchers;
}

/** The mails that go out once the pauses of a server that took none are over. */
async function mailedLater(): Promise<ReceivedMail[]> {
  api.clock.advance(15 * 60_000);
  await runCronTasks(api.forge, ["restart_jobs"]);
  return world.mailed();
}

const leftOut = () => api.logged.filter(({ event }) => event === "mail:too-many-of-actor");

describe("mails that one account causes in an hour (MAILER_ACTOR_HOURLY_LIMIT, D-MAIL)", () => {
  it("are so many; who is left out finds it among their notifications, and the log tells", async () => {
    const watchers = await makeWatchers(3);
    const { number } = await openIssue(api, repository, alice);
    await addComment(api, repository, number, alice);
    expect(await world.mailed()).toHaveLength(mostPerHour);
    expect(leftOut()).toMatchObject([{ level: "warn", actorId: alice.user.id, leftOut: 1 }]);
    await addComment(api, repository, number, alice);
    expect(await world.mailed()).toEqual([]);
    expect(leftOut()).toHaveLength(2);
    for (const as of watchers) expect(await listed(api, as)).toMatchObject([{ unread: true }]);
  });

  it("take nothing from others: what another account does is mailed, and the next hour's", async () => {
    await makeWatchers(3);
    const other = await api.makeUser();
    const { number } = await openIssue(api, repository, alice);
    await addComment(api, repository, number, alice);
    await world.mailed();
    await addComment(api, repository, number, other);
    expect(await world.mailed()).toHaveLength(3);
    api.clock.advance(3_600_000);
    await addComment(api, repository, number, alice);
    expect(await world.mailed()).toHaveLength(3);
  });

  it("count for who pushed, when a request counts as merged by the author of a commit", async () => {
    const eve = await api.makeUser();
    const base = await makeBase(api, eve, "in-others-names");
    await api.call("PATCH", base, { as: eve, body: { autodetect_manual_merge: true } });
    const body = { permission: "write" }; // what she merges may close the issue
    await api.call("PUT", `${base}/collaborators/${alice.name}`, { as: eve, body });
    for (const one of await makeWatchers(3)) await api.call("PUT", `${base}/subscription`, { as: one });
    const { json: issue } = await api.call("POST", `${base}/issues`, { as: eve, body: { title: "I" } });
    const author = { name: "Alice", email: `${alice.name}@example.com` };
    const written = { content: "", message: "Write", branch: "main", new_branch: "topic", author };
    const { json } = await api.call("POST", `${base}/contents/new.txt`, { as: eve, body: written });
    const { number } = await openPull(api, base, { as: eve, body: `closes #${issue.number}` });
    await world.mailed();
    api.clock.advance(3_600_000);
    api.logged.length = 0;
    await api.call("PUT", `${base}/branches/main`, { as: eve, body: { new_commit_id: json.commit.sha } });
    expect(await world.mailed()).toHaveLength(mostPerHour); // of 6, for a request and an issue
    const { json: pull } = await api.call("GET", `${base}/pulls/${number}`, { as: eve });
    expect(pull).toMatchObject({ merged: true, merged_by: { login: alice.name } });
    const { json: closed } = await api.call("GET", `${base}/issues/${issue.number}`, { as: eve });
    expect(closed.state).toBe("closed");
    const hour = Math.floor(api.clock.now() / 3_600_000);
    const caused = (id: number) => api.forge.table.get<MailCount>(mailCountKey(`by-${id}`, hour));
    expect([await caused(alice.user.id), (await caused(eve.user.id))?.n]).toEqual([undefined, mostPerHour]);
    expect(leftOut()).toMatchObject([{ actorId: alice.user.id, causerId: eve.user.id }]);
  });

  it("count once, however often the message comes and the server puts them off", async () => {
    await makeWatchers(3);
    world.server.refuse = () => 451;
    const { number } = await openIssue(api, repository, alice);
    await tell(api);
    await workOnMirrors(api);
    world.server.refuse = () => 0;
    expect([...(await mailedLater()), ...(await mailedLater())]).toHaveLength(3);
    const repositoryId = repository.repository.id;
    const news = {
      repositoryId,
      number,
      actorId: alice.user.id,
      at: api.clock.now(),
      isFirst: true,
    } as const;
    for (let time = 0; time < 3; time += 1) {
      await spreadNews(api.forge, news, randomUUID());
      await runJobs(api, mailNewsKind);
    }
    await addComment(api, repository, number, alice);
    expect(await world.mailed()).toHaveLength(mostPerHour - 3);
  });

  it("count in the hour in which it was done: what a server that was away holds up takes nothing from later", async () => {
    await makeWatchers(3);
    world.server.refuse = () => 421;
    const { number } = await openIssue(api, repository, alice);
    await tell(api);
    await workOnMirrors(api);
    api.clock.advance(3_600_000);
    await addComment(api, repository, number, alice);
    await tell(api);
    world.server.refuse = () => 0;
    expect([...(await mailedLater()), ...(await mailedLater())]).toHaveLength(6);
    expect(leftOut()).toEqual([]);
  });
});
