import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mailableAddress, mailText, oneLine, parseSender } from "#core/mail/address";
import { composeMail } from "#core/mail/compose";
import { ownerKey } from "#core/owner/owner.table";
import { update } from "#core/table/write";
import { openIssue } from "#tests/api/issue/make";
import { headerOf, partsOf } from "#tests/support/servers/mail-server";
import { type MailWorld, makeMailWorld, receiverOf, watch } from "./world.ts";

let world: MailWorld;

beforeAll(async () => {
  world = await makeMailWorld();
});
afterAll(() => world.stop());

const breaks = ["\r\n", "\n", "\r", "\u2028", "\u2029", "\u0085", "\0", "\v", "\f"];
const injected = "Bcc: eve@example.org";

describe("texts of users in mails (header injection)", () => {
  for (const mark of breaks) {
    it(`${JSON.stringify(mark)} in title, name and subject prefix makes no header`, async () => {
      const text = `Look${mark}${injected}${mark}${mark}<b>body</b>`;
      const { message, envelope } = await composeMail(
        { ...world.api.forge, config: { ...world.api.forge.config, mailerSubjectPrefix: text } },
        {
          ...{
            to: "bob@example.org",
            senderName: text,
            subject: text,
            text,
            html: "",
            thing: "t",
            thread: "r",
          },
        },
      );
      const [head = ""] = message.toString("latin1").split("\r\n\r\n", 1);
      const names = head
        .replace(/\r\n[ \t]+/g, " ")
        .split("\r\n")
        .map((line) => line.split(":", 1)[0]);
      expect(names).not.toContain("Bcc");
      expect(names.every((name) => /^[A-Za-z-]+$/.test(name ?? ""))).toBe(true);
      expect(head).not.toMatch(/[^\t\r\n\x20-\x7e]/);
      expect(envelope).toEqual({ from: "forge@example.org", to: ["bob@example.org"] });
    });
  }

  it("come through whole where they are harmless: other scripts, quotes, HTML, half characters", async () => {
    const reader = await world.makeReader("enabled");
    const { api, alice, repository } = world;
    await watch(api, repository, reader);
    const title = 'Ünïcode "quoted" <script> 🎉 \u202eabc';
    const body = "<img src=x onerror=alert(1)>\n\n.\r\n.\r\nQUIT\r\nFrom me to you\n=20";
    await openIssue(api, repository, alice, { title, body });
    const [mail] = await world.mailed();
    if (mail === undefined) throw new Error("there is no mail");
    expect(headerOf(mail, "subject")).toMatch(/^=\?UTF-8\?[BQ]\?/);
    const { "text/plain": text = "", "text/html": html = "" } = partsOf(mail);
    expect(text.replaceAll("\r\n", "\n")).toContain(body.replaceAll("\r\n", "\n"));
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img src=x");
  });

  it("are cut off: a mail holds 10,000 characters of them", async () => {
    const reader = await world.makeReader("enabled");
    const { api, alice, repository } = world;
    await watch(api, repository, reader);
    await openIssue(api, repository, alice, { title: "x".repeat(255), body: "🎉".repeat(20_000) });
    const mails = await world.mailed();
    const mail = mails.find((one) => receiverOf(one) === `${reader.name}@example.com`);
    if (mail === undefined) throw new Error("there is no mail");
    expect(mail.raw.length).toBeLessThan(250_000);
    const { "text/plain": text = "" } = partsOf(mail);
    expect([text.includes("🎉".repeat(5_000)), text.includes("🎉".repeat(5_001))]).toEqual([true, false]);
    expect(text).toContain("[…] The rest stands on the page.");
    expect(text).not.toContain("\ufffd");
  });
});

describe("addresses in mails", () => {
  it("are printable ASCII, their domain in Punycode", () => {
    expect(mailableAddress("Bob+x@Bücher.example")).toBe("Bob+x@xn--bcher-kva.example");
    const others = [
      ...breaks.flatMap((mark) => [`bob${mark}@example.org`, `bob@example.org${mark}${injected}`]),
      ...["bob@example.org>", "<bob@example.org", "bob@example.org, eve@example.org", "a b@example.org"],
      ...['"bob"@example.org', "bob@", "@example.org", "bob", "", "b..c@example.org", "bøb@example.org"],
      ...["bob@-example.org", "bob@exam_ple.org", `${"x".repeat(65)}@example.org`, "bob@[127.0.0.1]"],
      ...[`b@${"x".repeat(60)}.${"x".repeat(200)}`, "bob@example.org\u0000", "bob%0d%0a@example .org"],
    ];
    expect(others.filter((one) => mailableAddress(one) !== undefined)).toEqual([]);
  });

  it("with line breaks, however they came, get no mail and keep nobody from theirs", async () => {
    const { api, alice, repository } = world;
    const hostile = await world.makeReader("enabled");
    const other = await world.makeReader("enabled");
    for (const one of [hostile, other]) await watch(api, repository, one);
    const email = `x@example.org\r\n${injected}`;
    await api.forge.table.write(update(ownerKey(hostile.user.id), { set: { email } }));
    await openIssue(api, repository, alice);
    const receivers = (await world.mailed()).map(receiverOf);
    expect(receivers).toContain(`${other.name}@example.com`);
    expect(receivers.filter((one) => one.includes("eve") || one.startsWith("x@"))).toEqual([]);
    expect(api.logged.filter(({ event }) => event === "mail:no-address")).toMatchObject([
      { userId: hostile.user.id },
    ]);
  });

  it("of the sender have a name before them or none", () => {
    expect(parseSender("forge@example.org")).toEqual({ name: "", address: "forge@example.org" });
    const named = { name: "The Forge", address: "forge@example.org" };
    expect(parseSender("The Forge <forge@example.org>")).toEqual(named);
    expect(parseSender('"The Forge" <forge@example.org>')).toEqual(named);
    const others = [
      "",
      "forge",
      "a\r\nb <forge@example.org>",
      "<forge@example.org> x",
      "a <b> <c@example.org>",
    ];
    expect(others.filter((one) => parseSender(one) !== undefined)).toEqual([]);
  });
});

it("oneLine and mailText keep whole characters", () => {
  expect([oneLine("a🎉b", 2), oneLine(" a\r\n\tb ", 9), oneLine("\ud83c", 9)]).toEqual([
    "a…",
    "a b",
    "\ufffd",
  ]);
  expect(mailText("a\r\nb\u0007\rc")).toEqual({ text: "a\nb\nc", isCut: false });
});
