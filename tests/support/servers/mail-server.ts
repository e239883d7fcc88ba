import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { selfSigned } from "./receiver.ts";

/** A mail that the server took. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it was sent. */
  readonly raw: string;
  /** Its headers in order, unfolded. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
}

/** A mail server on 127.0.0.1 that keeps what it is sent. */
export interface MailServer {
  /** The settings of a forge that sends its mail here. */
  readonly settings: Readonly<Record<string, string>>;
  readonly mails: ReceivedMail[];
  /** How many connections there were. */
  connections: number;
  /** Says by an SMTP code that an address gets no mail; 0: it does. */
  refuse: (address: string) => number;
  /** Called before a mail is taken; it is refused when this throws. */
  taking: (mail: ReceivedMail) => Promise<void> | void;
  /** Takes the mails that came so far. */
  taken(): ReceivedMail[];
  stop(): Promise<void>;
}

export const mailPassword = "smtp-secret-42";

/** Starts one; it demands STARTTLS and a login unless `options` say otherwise. */
export async function startMailServer(
  options: { readonly lacksStartTls?: boolean; readonly asksNoLogin?: boolean } = {},
): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const smtp = new SMTPServer({
    ...selfSigned,
    authOptional: options.asksNoLogin === true,
    ...(options.lacksStartTls === true ? { disabledCommands: ["STARTTLS"] } : {}),
    disableReverseLookup: true,
    onConnect(_session, done) {
      server.connections += 1;
      done();
    },
    onAuth({ username, password }, _session, done) {
      const isRight = username === "forge" && password === mailPassword;
      done(isRight ? null : new Error(`no: ${username} ${password}`), isRight ? { user: username } : {});
    },
    onRcptTo({ address }, _session, done) {
      const responseCode = server.refuse(address);
      done(responseCode === 0 ? null : Object.assign(new Error("no such mailbox"), { responseCode }));
    },
    async onData(stream, { envelope, secure, user }, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const raw = Buffer.concat(chunks).toString("latin1");
      const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
      const to = envelope.rcptTo.map(({ address }) => address);
      const mail = { from, to, raw, headers: headersOf(raw), isEncrypted: secure, user: user as string };
      try {
        await server.taking(mail);
      } catch (error) {
        return done(error as Error);
      }
      mails.push(mail);
      done(null);
    },
  });
  smtp.on("error", () => undefined); // clients leave as they like
  const server: MailServer = {
    settings: {},
    mails,
    connections: 0,
    refuse: () => 0,
    taking: () => undefined,
    taken: () => mails.splice(0),
    stop: () => new Promise((resolve) => smtp.close(() => resolve())),
  };
  const listening = smtp.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;
  return Object.assign(server, {
    settings: {
      ...mailSettingsFor(port),
      ...(options.asksNoLogin === true ? {} : { MAILER_USER: "forge", MAILER_PASSWD: mailPassword }),
    },
  });
}

/** The settings of a forge that sends its mail to a port of this machine. */
export const mailSettingsFor = (port: number): Record<string, string> => ({
  MAILER_ENABLED: "true",
  MAILER_SMTP_ADDR: "127.0.0.1",
  MAILER_SMTP_PORT: String(port),
  MAILER_FORCE_TRUST_SERVER_CERT: "true",
  MAILER_FROM: "Forge <forge@example.org>",
});

function headersOf(raw: string): [string, string][] {
  const [head = ""] = raw.split("\r\n\r\n", 1);
  return head
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n")
    .map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
}

/** A header of a mail; undefined when it has none, an error when it has several. */
export function headerOf(mail: ReceivedMail, name: string): string | undefined {
  const found = mail.headers.filter(([one]) => one === name.toLowerCase());
  if (found.length > 1) throw new Error(`the mail has ${found.length} headers ${name}`);
  return found[0]?.[1];
}

/** The parts of a mail by their types, decoded. */
export function partsOf({ raw }: ReceivedMail): Record<string, string> {
  const [, boundary = ""] = /boundary="([^"]+)"/.exec(raw) ?? [];
  const parts = raw.split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [head = "", ...rest] = part.trimStart().split("\r\n\r\n");
      const [, type = ""] = /content-type: ([a-z/]+)/i.exec(head) ?? [];
      const [, encoding = "7bit"] = /content-transfer-encoding: ([\w-]+)/i.exec(head) ?? [];
      return [type, decoded(rest.join("\r\n\r\n"), encoding.toLowerCase())];
    }),
  );
}

function decoded(text: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(text, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return Buffer.from(text, "latin1").toString("utf8");
  const bytes = text
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
