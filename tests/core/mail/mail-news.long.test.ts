import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addComment, openIssue } from "#tests/api/issue/make";
import { commitOn, makeBase, openPull } from "#tests/api/pull/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import type { Caller, TestApi } from "#tests/support/api";
import type { ReceivedMail } from "#tests/support/servers/mail-server";
import {
  addressOf,
  choose,
  type MailWorld,
  makeMailWorld,
  receiverOf,
  receivers,
  textsOf,
  watch,
} from "./world.ts";

const mostPerHour = 6;
const mostOfOne = 2;

let world: MailWorld;
let api: TestApi;
let alice: Caller;
let repository: TestRepository;

beforeAll(async () => {
  world = await makeMailWorld({ settings: { MAILER_USER_HOURLY_LIMIT: String(mostPerHour) } });
  ({ api, alice } = world);
});
afterAll(() => world.stop());
beforeEach(async () => {
  repository = await makeRepository(api, alice);
  api.clock.advance(3_600_000); // nobody has had mails in this hour
  api.logged.length = 0;
});

const toThem = (mails: readonly ReceivedMail[], reader: Caller) =>
  mails.filter((mail) => receiverOf(mail) === addressOf(reader));

describe("mail of notifications (D-MAIL)", () => {
  it("tells who chose onmention of every text that names them anew, also long known ones, and of no other edit", async () => {
    const named = await world.makeReader("disabled");
    const { number } = await openIssue(api, repository, alice, { body: `@${named.name} before mail` });
    await world.mailed();
    await choose(api, named, "onmention");
    const other = await api.makeUser();
    const { id } = await addComment(api, repository, number, other, `@${named.name} one`);
    expect(receivers(await world.mailed())).toEqual([addressOf(named)]);
    await api.call("PUT", "/notifications", { as: named });
    await addComment(api, repository, number, alice, `@${named.name} two`);
    const [second] = await world.mailed();
    expect(textsOf(second).text).toContain(`alice mentioned you on this issue:\n\n@${named.name} two`);
    const edit = (path: string, body: string) =>
      api.call("PATCH", `${repository.path}/issues/${path}`, { as: alice, body: { body } });
    await edit(`comments/${id}`, `@${named.name} one, edited`);
    await edit(String(number), `@${named.name} before mail, edited`);
    const plain = await addComment(api, repository, number, alice, "no name");
    expect(await world.mailed()).toEqual([]);
    await edit(`comments/${plain.id}`, `now a name: @${named.name}`);
    expect(receivers(await world.mailed())).toEqual([addressOf(named)]);
  });

  it("tells of requests: a review that is asked for, its verdict, and the merge", async () => {
    const reviewer = await world.makeReader("onmention");
    const watcher = await world.makeReader("enabled");
    const base = await makeBase(api, alice, `pulls-${api.clock.now()}`);
    await commitOn(api, base, "topic", "new.txt", { as: alice });
    await api.call("PUT", `${base}/collaborators/${reviewer.name}`, {
      as: alice,
      body: { permission: "write" },
    });
    await api.call("PUT", `${base}/subscription`, { as: watcher });
    const { number } = await openPull(api, base, { as: alice });
    await world.mailed();
    const asked = { as: alice, body: { reviewers: [reviewer.name] } };
    await api.call("POST", `${base}/pulls/${number}/requested_reviewers`, asked);
    const requests = await world.mailed();
    expect(receivers(requests)).toEqual([addressOf(reviewer)]);
    expect(textsOf(requests[0]).text).toContain("alice asks you for a review of this pull request.");
    const verdict = { as: reviewer, body: { event: "APPROVED", body: "Good." } };
    await api.call("POST", `${base}/pulls/${number}/reviews`, verdict);
    const [approved] = await world.mailed();
    expect(textsOf(approved).text).toContain(`${reviewer.name} approved this pull request:\n\nGood.`);
    const merged = await api.call("POST", `${base}/pulls/${number}/merge`, {
      as: alice,
      body: { do: "merge" },
    });
    expect(merged.status).toBe(200);
    const mails = await world.mailed();
    expect(receivers(mails)).toContain(addressOf(watcher));
    expect(textsOf(mails.at(-1)).text).toContain("alice merged this pull request.");
  });

  it("of one account's doing takes a third of a user's hour, so that what others do is still mailed", async () => {
    const asked = await world.makeReader("enabled");
    const [eve, other] = [await api.makeUser(), await api.makeUser()];
    const own = await makeRepository(api, eve);
    const { number } = await openIssue(api, own, eve, { body: `@${asked.name}` });
    for (let made = 0; made < mostPerHour; made += 1) await addComment(api, own, number, eve);
    expect(toThem(await world.mailed(), asked)).toHaveLength(mostOfOne);
    const left = { event: "mail:too-many", userId: asked.user.id, of: `by-${eve.user.id}` };
    // An issue that names somebody who watches is news twice: what is left out is told of each time.
    const told = api.logged.filter(({ event }) => event === left.event);
    for (const one of told) expect(one).toMatchObject(left);
    expect(new Set(told.map(({ thing }) => thing)).size).toBe(1 + mostPerHour - mostOfOne);
    await watch(api, repository, asked);
    const { number: mine } = await openIssue(api, repository, alice);
    for (const as of [alice, other, other]) await addComment(api, repository, mine, as);
    expect(toThem(await world.mailed(), asked)).toHaveLength(2 * mostOfOne);
  });

  it("stops at so many mails an hour for each user, whoever causes them", async () => {
    const asked = await world.makeReader("enabled");
    await watch(api, repository, asked);
    const { number } = await openIssue(api, repository, alice);
    for (let made = 0; made < mostPerHour; made += 1) {
      await addComment(api, repository, number, await api.makeUser());
    }
    expect(toThem(await world.mailed(), asked)).toHaveLength(mostPerHour);
    api.clock.advance(3_600_000);
    await addComment(api, repository, number, alice);
    expect(toThem(await world.mailed(), asked)).toHaveLength(1);
  });
});
