import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addComment, openIssue } from "#tests/api/issue/make";
import { tell } from "#tests/api/notification/make";
import { makeBase } from "#tests/api/pull/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import type { Caller, TestApi } from "#tests/support/api";
import { headerOf, type ReceivedMail } from "#tests/support/servers/mail-server";
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

let world: MailWorld;
let api: TestApi;
let alice: Caller;
let repository: TestRepository;

beforeAll(async () => {
  world = await makeMailWorld();
  ({ api, alice } = world);
});
afterAll(() => world.stop());
beforeEach(async () => {
  repository = await makeRepository(api, alice);
  api.clock.advance(3_600_000); // nobody has had mails in this hour
  api.logged.length = 0;
});

const subjects = (mails: readonly ReceivedMail[]) => mails.map((mail) => headerOf(mail, "subject"));

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
});

const idOf = (mail: ReceivedMail) => headerOf(mail, "message-id") ?? "";
