import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { confirmationLink, unsubscribeLink } from "#core/mail/links";
import { besideGit } from "#functions/files/beside-git";
import { openIssue } from "#tests/api/issue/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";
import { headerOf, partsOf } from "#tests/support/servers/mail-server";
import { type MailWorld, makeMailWorld, receiverOf, watch } from "./world.ts";

let world: MailWorld;
let api: TestApi;
let site: Hono;

beforeAll(async () => {
  world = await makeMailWorld();
  ({ api } = world);
  site = besideGit(new Hono(), api.forge);
});
afterAll(async () => {
  const nobodyWorks = 20; // on the job that follows a deleted account
  expect((await findingsOf(api)).filter(({ invariant }) => invariant !== nobodyWorks)).toEqual([]);
  await world.stop();
});

const ask = async (method: string, link: string) =>
  site.request(link, { method, ...(method === "POST" ? { body: "List-Unsubscribe=One-Click" } : {}) });
const choiceOf = async (as: Caller) =>
  (await api.call("GET", "/user/settings", { as })).json.email_notifications;
const emailsOf = async (as: Caller) => (await api.call("GET", "/user/emails", { as })).json;
const add = (as: Caller, ...emails: string[]) => api.call("POST", "/user/emails", { as, body: { emails } });
/** The link in the mail to an address. */
const mailedLink = async (address: string) => {
  const mail = (await world.mailed()).find((one) => receiverOf(one) === address);
  return mail && /http:\S+\/-\/mail\/confirm\/\S+/.exec(partsOf(mail)["text/plain"] ?? "")?.[0];
};

describe("the link that ends mails (RFC 8058)", () => {
  it("ends them by one POST; to open it changes nothing, and shows a page that runs nothing", async () => {
    const reader = await world.makeReader("enabled");
    await watch(api, world.repository, reader);
    await openIssue(api, world.repository, world.alice);
    const [mail] = await world.mailed();
    const [, link = ""] = /^<(.*)>$/.exec((mail && headerOf(mail, "list-unsubscribe")) ?? "") ?? [];
    for (const method of ["GET", "HEAD"]) {
      const page = await ask(method, link);
      expect([page.status, page.headers.get("content-security-policy")]).toEqual([
        200,
        expect.stringContaining("default-src 'none'"),
      ]);
      expect(await choiceOf(reader)).toBe("enabled");
    }
    expect((await ask("PUT", link)).status).toBe(405);
    expect((await ask("POST", link)).status).toBe(200);
    expect((await ask("POST", link)).status).toBe(200);
    expect(await choiceOf(reader)).toBe("disabled");
    await openIssue(api, world.repository, world.alice);
    expect(await world.mailed()).toEqual([]);
  });

  it("404: made up, changed, of the other kind, or of an account that is gone", async () => {
    const reader = await world.makeReader("enabled");
    const root = await api.makeUser({ isAdmin: true });
    const link = unsubscribeLink(api.forge, reader.user.id);
    const changed = `${link.slice(0, -2)}${link.endsWith("AA") ? "BB" : "AA"}`;
    const others = [changed, `${link}x`, link.replace("unsubscribe", "confirm"), `${link}/x`];
    others.push(link.replace("unsubscribe", "constructor"), link.replace(/[^/]*$/, "%00"));
    for (const other of others) expect([other, (await ask("POST", other)).status]).toEqual([other, 404]);
    expect(await (await ask("GET", changed)).text()).toContain("email_notifications");
    expect(await choiceOf(reader)).toBe("enabled");
    await api.call("DELETE", `/admin/users/${reader.name}`, { as: root });
    expect((await ask("POST", link)).status).toBe(404);
  });
});

describe("a page of a link", () => {
  it("429 for more from a network than the rate; 500 with the request's id for a fault (D-RATE)", async () => {
    const limited = await makeApi({ settings: { RATE_LIGHT: "3" } });
    const pages = besideGit(new Hono(), limited.forge);
    const link = unsubscribeLink(limited.forge, (await limited.makeUser()).user.id);
    const post = async () => {
      const { status, headers } = await pages.request(link, { method: "POST" });
      return { status, retry: Number(headers.get("retry-after")) > 0, id: headers.has("x-request-id") };
    };
    limited.faults.inject({ service: "dynamodb", operation: "BatchGetItem", fault: new Error("away") });
    limited.faults.inject({ service: "dynamodb", operation: "GetItem", fault: new Error("away") });
    expect(await post()).toMatchObject({ status: 500, id: true });
    limited.faults.recover();
    expect([await post(), await post()]).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(await post()).toEqual({ status: 429, retry: true, id: true });
    await limited.stop();
  });
});

describe("userAddEmail, with mail on", () => {
  it("201: not verified, nobody's, until its link is followed and confirmed", async () => {
    const one = await api.makeUser();
    const root = await api.makeUser({ isAdmin: true });
    const listed = async () =>
      (await api.call("GET", "/admin/emails/search?q=second@", { as: root })).json.length;
    const added = await add(one, "second@example.com");
    expect(added.status).toBe(201);
    expect(added.json[1]).toMatchObject({ email: "second@example.com", verified: false });
    expect([(await add(one, "Second@example.com")).status, await listed()]).toEqual([422, 0]);
    const link = (await mailedLink("second@example.com")) ?? "";
    expect((await ask("GET", link)).status).toBe(200);
    expect((await emailsOf(one))[1]).toMatchObject({ verified: false });
    expect((await ask("POST", link)).status).toBe(200);
    expect((await ask("POST", link)).status).toBe(200);
    expect((await emailsOf(one))[1]).toMatchObject({ email: "second@example.com", verified: true });
    expect(await listed()).toBe(1);
    expect((await add(await api.makeUser(), "second@example.com")).status).toBe(422);
  });

  it("keeps nobody from an address: who confirms it first has it", async () => {
    const [squatter, owner] = [await api.makeUser(), await api.makeUser()];
    const email = "own@example.com";
    expect([(await add(squatter, email)).status, (await add(owner, email)).status]).toEqual([201, 201]);
    const until = api.clock.now() + 60_000;
    const linkOf = (who: Caller) => confirmationLink(api.forge, { userId: who.user.id, email, until });
    expect((await ask("POST", linkOf(owner))).status).toBe(200);
    expect((await ask("POST", linkOf(squatter))).status).toBe(422);
    const body = { emails: [email] };
    expect((await api.call("DELETE", "/user/emails", { as: squatter, body })).status).toBe(204);
    expect((await emailsOf(owner))[1]).toMatchObject({ email, verified: true });
    await world.mailed();
  });

  it("404: a link whose time is over, whose address was taken away, or of another account", async () => {
    const one = await api.makeUser();
    await add(one, "late@example.com");
    const link = (await mailedLink("late@example.com")) ?? "";
    const until = api.clock.now() + 3_600_000_000;
    const foreign = confirmationLink(api.forge, { userId: one.user.id, email: "not@example.com", until });
    expect((await ask("POST", foreign)).status).toBe(404);
    api.clock.advance(181 * 60_000);
    expect((await ask("POST", link)).status).toBe(404);
    expect((await emailsOf(one))[1]).toMatchObject({ verified: false });
  });

  it("429: more than 20 in an hour; an address gets 3 links an hour, whoever adds it", async () => {
    const one = await api.makeUser();
    const many = Array.from({ length: 19 }, (_, place) => `many-${place}@example.com`);
    expect((await add(one, ...many)).status).toBe(201);
    await api.call("DELETE", "/user/emails", { as: one, body: { emails: many } });
    expect((await add(one, "a@example.com")).status).toBe(201);
    expect((await add(one, "b@example.com")).status).toBe(429);
    expect((await world.mailed()).map(receiverOf)).toEqual(["a@example.com"]); // the others are taken away
    for (let made = 0; made < 4; made += 1) await add(await api.makeUser(), "victim@example.com");
    expect(await world.mailed()).toHaveLength(3);
  });
});
