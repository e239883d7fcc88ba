import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addComment, openIssue } from "#tests/api/issue/make";
import { tell } from "#tests/api/notification/make";
import { commitOn, makeBase, openPull } from "#tests/api/pull/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import type { Caller, TestApi } from "#tests/support/api";
import { headerOf, partsOf, type ReceivedMail } from "#tests/support/servers/mail-server";
import { choose, type MailWorld, makeMailWorld, receiverOf, watch } from "./world.ts";

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

const receivers = (mails: readonly ReceivedMail[]) => mails.map(receiverOf);
const subjects = (mails: readonly ReceivedMail[]) => mails.map((mail) => headerOf(mail, "subject"));
const addressOf = ({ name }: Caller) => `${name}@example.com`;

describe("mail of notifications (D-MAIL)", () => {
  it("goes to who asked for it alone, one mail to each, encrypted and after a login", async () => {
    const asked = await world.makeReader("enabled");
    const silent = await world.makeReader("disabled");
    const undecided = await api.makeUser();
    for (const one of [asked, silent, undecided]) await watch(api, repository, one);
    const { number } = await openIssue(api, repository, alice, { title: "It breaks", body: "See **this**." });
    const [mail, ...others] = await world.mailed();
    expect(others).toEqual([]);
    expect(mail && receiverOf(mail)).toBe(addressOf(asked));
    expect(mail).toMatchObject({ from: "forge@example.org", isEncrypted: true, user: "forge" });
    const place = repository.path.slice("/repos/".length);
    expect(mail && headerOf(mail, "subject")).toBe(`[${place}] It breaks (#${number})`);
    const { text, html } = textsOf(mail);
    expect(text).toContain("alice opened this issue:\n\nSee **this**.\n");
    expect(text).toContain(`http://127.0.0.1:3000/${place}/issues/${number}\n`);
    expect(html).toContain("See **this**.");
  });

  it("has headers of lists and threads, and says that nobody wrote it by hand", async () => {
    const asked = await world.makeReader("enabled");
    await watch(api, repository, asked);
    const { number } = await openIssue(api, repository, alice);
    await addComment(api, repository, number, alice, "More of it");
    const mails = await world.mailed();
    const [opened, commented] = mails
      .toSorted((one, other) => idOf(one).localeCompare(idOf(other)))
      .toReversed();
    const { id } = repository.repository;
    expect(opened && headerOf(opened, "in-reply-to")).toBeUndefined();
    expect(opened && idOf(opened)).toBe(`<issue.${id}.${number}@127.0.0.1>`);
    const expected = {
      "in-reply-to": `<issue.${id}.${number}@127.0.0.1>`,
      references: `<issue.${id}.${number}@127.0.0.1>`,
      "auto-submitted": "auto-generated",
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      "list-archive": `<http://127.0.0.1:3000${repository.path.slice("/repos".length)}>`,
      to: addressOf(asked),
    };
    const found = Object.keys(expected).map((name) => [name, commented && headerOf(commented, name)]);
    expect(Object.fromEntries(found)).toEqual(expected);
    expect(commented && headerOf(commented, "list-id")).toMatch(
      /^alice\/Repo-\d+ <Repo-\d+\.alice\.127\.0\.0\.1>$/,
    );
    expect(commented && headerOf(commented, "from")).toMatch(/^"?alice .*<forge@example\.org>$/);
    expect(commented && headerOf(commented, "subject")).toMatch(/^Re: \[alice\//);
  });

  it("tells of a mention, an assignment and a merge; who chose onmention hears of the first two alone", async () => {
    const named = await world.makeReader("onmention");
    const all = await world.makeReader("enabled");
    for (const one of [named, all]) await watch(api, repository, one);
    const { number } = await openIssue(api, repository, alice);
    expect(receivers(await world.mailed())).toEqual([addressOf(all)]);
    await addComment(api, repository, number, alice, `@${named.name}: look`);
    expect(receivers(await world.mailed())).toEqual([named, all].map(addressOf).sort());
    await api.call("PUT", `${repository.path}/collaborators/${named.name}`, {
      as: alice,
      body: { permission: "write" },
    });
    const body = { assignees: [named.name] };
    await api.call("PATCH", `${repository.path}/issues/${number}`, { as: alice, body });
    const assigned = await world.mailed();
    expect(receivers(assigned)).toEqual([addressOf(named)]);
    expect(textsOf(assigned[0]).text).toContain("alice assigned you to this issue.");
  });

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

  it("of an issue that is opened with an assignee is one, whatever the assignee chose", async () => {
    const [all, mentions] = [await world.makeReader("enabled"), await world.makeReader("onmention")];
    for (const { name } of [all, mentions]) {
      const body = { permission: "write" };
      await api.call("PUT", `${repository.path}/collaborators/${name}`, { as: alice, body });
      await watch(api, repository, name === all.name ? all : mentions);
    }
    const assignees = [all.name, mentions.name];
    await openIssue(api, repository, alice, { body: `For @${mentions.name}`, assignees });
    const mails = await world.mailed();
    expect(receivers(mails)).toEqual([addressOf(all), addressOf(mentions)].sort());
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

  it("tells those who watch of a release once it is published, not of a draft", async () => {
    const watcher = await world.makeReader("enabled");
    const base = await makeBase(api, alice, `releases-${api.clock.now()}`);
    await api.call("PUT", `${base}/subscription`, { as: watcher });
    const body = { tag_name: "v1", name: "One", body: "News of it", draft: true };
    const { json } = await api.call("POST", `${base}/releases`, { as: alice, body });
    expect(await world.mailed()).toEqual([]);
    await api.call("PATCH", `${base}/releases/${json.id}`, { as: alice, body: { draft: false } });
    const mails = await world.mailed();
    expect(receivers(mails)).toEqual([addressOf(watcher)]);
    expect(subjects(mails)[0]).toMatch(/^\[alice\/releases-\d+\] One$/);
    expect(textsOf(mails[0]).text).toContain("alice released v1:\n\nNews of it");
  });

  it("of one's own doing goes to who chose andyourown alone", async () => {
    await choose(api, alice, "andyourown");
    const { number } = await openIssue(api, repository, alice);
    expect(receivers(await world.mailed())).toEqual([addressOf(alice)]);
    await choose(api, alice, "enabled");
    await addComment(api, repository, number, alice);
    expect(await world.mailed()).toEqual([]);
  });

  it("goes to nobody who lost the repository between the event and the mail (B-18)", async () => {
    const secret = await makeRepository(api, alice, { isPrivate: true });
    const [leaving, staying] = [await world.makeReader("enabled"), await world.makeReader("enabled")];
    for (const one of [leaving, staying]) {
      await api.call("PUT", `${secret.path}/collaborators/${one.name}`, {
        as: alice,
        body: { permission: "read" },
      });
      await watch(api, secret, one);
    }
    await openIssue(api, secret, alice, { title: "Secret" });
    await tell(api); // the mail waits to be sent
    await api.call("DELETE", `${secret.path}/collaborators/${leaving.name}`, { as: alice });
    expect(receivers(await world.mailed())).toEqual([addressOf(staying)]);
  });

  it("says what the text says when it is sent, and nothing of a comment that is gone (D-TEXT)", async () => {
    const asked = await world.makeReader("enabled");
    await watch(api, repository, asked);
    const { number } = await openIssue(api, repository, alice);
    await world.mailed();
    const gone = await addComment(api, repository, number, alice, "Not for you");
    await tell(api);
    await api.call("DELETE", `${repository.path}/issues/comments/${gone.id}`, { as: alice });
    expect(await world.mailed()).toEqual([]);
  });

  it("of one account's doing takes a third of a user's hour, so that what others do is still mailed", async () => {
    const asked = await world.makeReader("enabled");
    const [eve, other] = [await api.makeUser(), await api.makeUser()];
    const own = await makeRepository(api, eve);
    const { number } = await openIssue(api, own, eve, { body: `@${asked.name}` });
    for (let made = 0; made < mostPerHour; made += 1) await addComment(api, own, number, eve);
    expect(toThem(await world.mailed(), asked)).toHaveLength(mostOfOne);
    const left = { event: "mail:too-many", userId: asked.user.id, of: `by-${eve.user.id}` };
    expect(api.logged.filter(({ event }) => event === left.event)).toEqual(
      Array(1 + mostPerHour - mostOfOne).fill(expect.objectContaining(left)),
    );
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

const toThem = (mails: readonly ReceivedMail[], { name }: Caller) =>
  mails.filter((mail) => receiverOf(mail) === `${name}@example.com`);
const idOf = (mail: ReceivedMail) => headerOf(mail, "message-id") ?? "";

/** The two forms of a mail. */
function textsOf(mail: ReceivedMail | undefined): { text: string; html: string } {
  if (mail === undefined) throw new Error("there is no mail");
  const { "text/plain": text = "", "text/html": html = "" } = partsOf(mail);
  return { text: text.replaceAll("\r\n", "\n"), html };
}
