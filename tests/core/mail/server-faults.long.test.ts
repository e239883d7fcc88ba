import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { runCronTasks } from "#functions/workers/cron-tasks";
import { openIssue } from "#tests/api/issue/make";
import { tell } from "#tests/api/notification/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import type { Caller, TestApi } from "#tests/support/api";
import { workOnMirrors } from "#tests/support/mirror-work";
import {
  type MailServer,
  mailPassword,
  mailSettingsFor,
  startMailServer,
} from "#tests/support/servers/mail-server";
import { type MailWorld, makeMailWorld, receiverOf, watch } from "./world.ts";

let world: MailWorld;
let api: TestApi;
let repository: TestRepository;
let readers: Caller[];

beforeAll(async () => {
  world = await makeMailWorld({ settings: { MAILER_TIMEOUT: "1" } });
  ({ api } = world);
  repository = await makeRepository(api, world.alice);
  readers = [];
  for (let made = 0; made < 5; made += 1) {
    const reader = await world.makeReader("enabled");
    await watch(api, repository, reader);
    readers.push(reader);
  }
});
afterAll(() => world.stop());

/** Something that all readers are mailed of: the jobs wait on the queue. */
async function happen(): Promise<void> {
  api.clock.advance(3_600_000);
  await openIssue(api, repository, world.alice);
  await tell(api);
}

/** Lets time pass, and the tick and the workers do their work. */
async function later(ms: number): Promise<void> {
  api.clock.advance(ms);
  await runCronTasks(api.forge, ["restart_jobs"]);
  await workOnMirrors(api);
}

const logged = (event: string) => api.logged.filter((line) => line.event === event);
const addressOf = ({ name }: Caller) => `${name}@example.com`;

/** Sends mail elsewhere while `work` goes on. */
async function withServer(
  settings: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<void> {
  const before = api.forge.config;
  const base = { SECRET_KEY: Buffer.alloc(32, 7).toString("base64"), MAILER_TIMEOUT: "1" };
  const { mailerSmtpPort, mailerForceTrustServerCert, mailerUser, mailerPasswd, mailerProtocol } = readConfig(
    { ...base, ...settings },
  );
  const config = {
    ...before,
    ...{ mailerSmtpPort, mailerForceTrustServerCert, mailerUser, mailerPasswd, mailerProtocol },
  };
  Object.assign(api.forge, { config });
  try {
    await work();
  } finally {
    Object.assign(api.forge, { config: before });
  }
}

/** A server that answers each connection by hand. */
async function startRaw(
  answer: (socket: Socket) => void,
): Promise<{ server: Server; port: number; met: () => number }> {
  let met = 0;
  const server = createServer((socket) => {
    met += 1;
    socket.on("error", () => undefined);
    answer(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port, met: () => met };
}

/** What was sent to it, with a login in it. */
const login = { MAILER_USER: "forge", MAILER_PASSWD: mailPassword };
const secrets = [mailPassword, Buffer.from(`\0forge\0${mailPassword}`).toString("base64")];

describe("a mail server that takes no mail (D-MAIL)", () => {
  const raw: Readonly<Record<string, (socket: Socket) => void>> = {
    "hangs after the connection": () => undefined,
    "hangs after its greeting": (socket) => socket.write("220 here\r\n"),
    "answers 10 MB": (socket) => socket.write(Buffer.alloc(10 * 1024 * 1024, "220-more and more\r\n")),
    "answers no SMTP": (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    "closes at once": (socket) => socket.destroy(),
    "repeats what it was sent": (socket) => {
      socket.write("220 here\r\n");
      socket.on("data", (chunk) => {
        const said = chunk.toString();
        socket.write(said.startsWith("EHLO") ? "250-here\r\n250 AUTH PLAIN\r\n" : `535 no ${said}`);
      });
    },
  };
  for (const [what, answer] of Object.entries(raw)) {
    it(`is asked once by all jobs, and again after a pause, when it ${what}; no secret is logged`, async () => {
      const { server, port, met } = await startRaw(answer);
      await happen();
      await happen();
      const isPlain = what === "repeats what it was sent";
      const protocol = isPlain ? { MAILER_PROTOCOL: "smtp" } : {};
      await withServer({ ...mailSettingsFor(port), ...login, ...protocol }, async () => {
        const before = logged("mail:server-away").length;
        await workOnMirrors(api);
        expect([met(), logged("mail:server-away").length - before]).toEqual([1, 1]);
        await later(1_000);
        expect(met()).toBe(1);
        await later(31_000);
        expect(met()).toBe(2);
      });
      server.close();
      await later(15 * 60_000);
      await later(5 * 60_000);
      expect(world.server.taken().map(receiverOf).sort()).toEqual(
        readers.flatMap((one) => [addressOf(one), addressOf(one)]).sort(),
      );
      const text = JSON.stringify(api.logged);
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    });
  }

  it("gets nothing in the clear when it offers no STARTTLS, or a certificate that nobody trusts", async () => {
    const open = await startMailServer({ lacksStartTls: true, asksNoLogin: true });
    await happen();
    await withServer(open.settings, () => workOnMirrors(api));
    expect([open.mails, open.connections]).toEqual([[], 1]);
    await open.stop();
    const strict = { ...world.server.settings, MAILER_FORCE_TRUST_SERVER_CERT: "false" };
    await withServer(strict, () => later(60_000));
    expect(world.server.mails).toEqual([]);
    expect(
      logged("mail:server-away")
        .slice(-2)
        .map(({ problem }) => problem),
    ).toEqual([expect.stringMatching(/^ETLS/), expect.stringMatching(/^E(TLS|SOCKET)/)]);
    await later(15 * 60_000);
    expect(world.server.taken()).toHaveLength(readers.length);
  });

  it("is asked for a day, and given up with errors", async () => {
    await happen();
    await withServer({ ...mailSettingsFor(1), ...login }, async () => {
      await workOnMirrors(api);
      for (let hour = 0; hour < 25; hour += 1) await later(3_600_000);
    });
    expect(logged("mail:server-away").at(-1)).toMatchObject({ level: "error" });
    expect(logged("mail:given-up")).toMatchObject([{ level: "error", receivers: readers.length }]);
    await later(3_600_000);
    expect(world.server.taken()).toEqual([]);
  });
});

describe("a mail server that refuses some (D-MAIL)", () => {
  const others = () => readers.slice(2).map(addressOf).sort();
  const refusing = (code: number, server: MailServer = world.server) => {
    const [one, two] = readers.map(addressOf);
    server.refuse = (address) => (address === one || address === two ? code : 0);
  };

  it("keeps no others from their mail; what is refused for good does not come again", async () => {
    refusing(550);
    await happen();
    await workOnMirrors(api);
    expect(world.server.taken().map(receiverOf).sort()).toEqual(others());
    expect(logged("mail:refused").slice(-2)).toMatchObject([
      { problem: expect.stringMatching(/RCPT TO 550/) },
      {},
    ]);
    refusing(0);
    await later(3_600_000);
    expect(world.server.taken()).toEqual([]);
  });

  it("is asked again for whom it put off", async () => {
    refusing(451);
    await happen();
    await workOnMirrors(api);
    expect(world.server.taken().map(receiverOf).sort()).toEqual(others());
    refusing(0);
    await later(61_000);
    expect(world.server.taken().map(receiverOf).sort()).toEqual(readers.slice(0, 2).map(addressOf).sort());
  });

  it("gets many mails over one connection", async () => {
    await happen();
    const before = world.server.connections;
    await workOnMirrors(api);
    expect([world.server.taken().length, world.server.connections - before]).toEqual([readers.length, 1]);
  });
});
