import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";
import type { Config } from "../config.ts";
import type { ComposedMail } from "./compose.ts";

/** What became of a mail that the server heard of: taken, refused for good, or to be tried later. */
export type SendOutcome =
  | { readonly kind: "sent" }
  | { readonly kind: "refused" | "later"; readonly problem: string };

/**
 * The server can't be reached, is not as it was set, or takes no mail from anybody now. `message` holds codes alone:
 * what a server answers may repeat what it was sent.
 */
export class MailServerAway extends Error {
  override readonly name = "MailServerAway";
}

/** A connection to the mail server over which one mail goes after the other. */
export interface MailSession {
  /** MailServerAway when the connection broke: whether the server has taken the mail is unknown then. */
  send(mail: ComposedMail): Promise<SendOutcome>;
  close(): void;
}

const longestConnectMs = 10_000;
/** One exchange takes no longer than so many silences, however the server drips. */
const silencesPerExchange = 3;
const mostAnswerBytes = 64 * 1024;

/** Connects and logs in. Throws MailServerAway. */
export async function openMailSession(config: Config): Promise<MailSession> {
  const { default: Connection } = await import("nodemailer/lib/smtp-connection"); // few installations send mail
  const connection = new Connection(connectionOptions(config));
  const broken = brokenOf(connection);
  const ms = silencesPerExchange * silenceMsOf(config);
  const within = <T>(begin: (done: Done<T>) => void) => settled(connection, broken, begin, ms);
  await within<void>((done) => connection.connect((error) => done(error)));
  const { mailerUser: user, mailerPasswd: pass } = config;
  if (user !== "") await within<boolean>((done) => connection.login({ user, pass }, done));
  return {
    async send({ envelope, message }) {
      try {
        await within((done) => connection.send(envelope, message, done));
        return { kind: "sent" };
      } catch (error) {
        const outcome = refusalIn(error);
        if (outcome === undefined) throw error;
        await within<boolean>((done) => connection.reset(done));
        return outcome;
      }
    },
    close: () => connection.quit(),
  };
}

const silenceMsOf = ({ mailerTimeoutSeconds }: Config): number => mailerTimeoutSeconds * 1_000;

function connectionOptions(config: Config): SMTPConnectionOptions {
  const { mailerProtocol: protocol, mailerForceTrustServerCert: trustsAny } = config;
  const connectMs = Math.min(longestConnectMs, silenceMsOf(config));
  return {
    host: config.mailerSmtpAddr,
    port: config.mailerSmtpPort,
    name: new URL(config.rootUrl).hostname,
    secure: protocol === "smtps",
    requireTLS: protocol === "smtp+starttls",
    ignoreTLS: protocol === "smtp",
    tls: { rejectUnauthorized: !trustsAny, minVersion: "TLSv1.2" },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMsOf(config),
    socketCloseTimeout: 1_000,
    maxResponseSize: mostAnswerBytes,
    logger: false,
  };
}

type Done<T> = (error: Error | null | undefined, value?: T) => void;

/** Rejects when the connection breaks, whatever it is doing. */
function brokenOf(connection: SMTPConnection): Promise<never> {
  const broken = new Promise<never>((_, reject) => {
    connection.on("error", reject);
    connection.once("end", () => reject(new MailServerAway("ECONNECTION")));
  });
  broken.catch(() => undefined); // whoever waits for something is told
  return broken;
}

/** The end of one exchange with the server, whose failures are told apart by `refusalIn` alone. */
async function settled<T>(
  connection: SMTPConnection,
  broken: Promise<never>,
  begin: (done: Done<T>) => void,
  ms: number,
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MailServerAway("ETIMEDOUT")), ms);
  });
  const done = new Promise<T | undefined>((resolve, reject) => {
    begin((error, value) => (error ? reject(error) : resolve(value)));
  });
  try {
    return await Promise.race([done, broken, late]);
  } catch (error) {
    if (refusalIn(error) !== undefined) throw error;
    connection.close();
    throw error instanceof MailServerAway ? error : new MailServerAway(problemOf(error as SmtpError));
  } finally {
    clearTimeout(timer);
  }
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** What the server says of this mail alone; undefined for trouble with the connection, the account or the sender. */
function refusalIn(error: unknown): Exclude<SendOutcome, { kind: "sent" }> | undefined {
  const given = error as SmtpError;
  const { responseCode = 0, command, code } = given;
  const isOfMail = code === "EENVELOPE" ? command !== "MAIL FROM" : code === "EMESSAGE";
  if (!isOfMail || responseCode === 421) return undefined;
  const isForNow = responseCode >= 400 && responseCode < 500;
  return { kind: isForNow ? "later" : "refused", problem: problemOf(given) };
}

/** Codes alone, and those that the server gave: no text of its. */
function problemOf({ code = "", command = "", responseCode, response = "" }: SmtpError): string {
  const [status = ""] = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(response) ?? [];
  const [step = ""] = /^[A-Z ]+/.exec(command) ?? [];
  return [code || "EUNKNOWN", step, responseCode ?? "", status].join(" ").replace(/ +/g, " ").trim();
}
