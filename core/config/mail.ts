import { z } from "zod";
import { parseSender } from "../mail/address.ts";
import { secret, setting } from "./setting.ts";
import { flag, integer, text } from "./shapes.ts";

/** How a connection to the mail server is protected. */
const mailProtocols = ["smtp+starttls", "smtps", "smtp"] as const;
/** What a user has mailed: everything they hear of, only what names them, the same and what they do, or nothing. */
export const mailChoices = ["enabled", "onmention", "andyourown", "disabled"] as const;
export type MailChoice = (typeof mailChoices)[number];

const sender = text.refine(
  (value) => parseSender(value) !== undefined,
  "expected an address such as forge@example.org, or Forge <forge@example.org>",
);

const hostName = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,253}$/, "expected a host name such as smtp.example.org");

/** Mail: off unless it is switched on, which takes a server and a sender (D-MAIL). */
export const mailSettings = {
  mailerEnabled: setting("MAILER_ENABLED", flag, false, "send mail, to users who asked for it"),
  mailerSmtpAddr: setting<string>(
    "MAILER_SMTP_ADDR",
    hostName,
    "",
    "the mail server, such as smtp.example.org",
  ),
  mailerSmtpPort: setting("MAILER_SMTP_PORT", integer(1, 65_535), 587, "the port of the mail server"),
  mailerProtocol: setting<(typeof mailProtocols)[number]>(
    "MAILER_PROTOCOL",
    z.enum(mailProtocols, `expected one of ${mailProtocols.join(", ")}`),
    "smtp+starttls",
    "smtp+starttls demands STARTTLS, smtps encrypts from the start, smtp never encrypts",
  ),
  mailerForceTrustServerCert: setting(
    "MAILER_FORCE_TRUST_SERVER_CERT",
    flag,
    false,
    "accept any certificate from the mail server",
  ),
  mailerTimeoutSeconds: setting(
    "MAILER_TIMEOUT",
    integer(1, 60),
    20,
    "seconds that the mail server may be silent",
  ),
  mailerUser: setting<string>("MAILER_USER", text, "", "the account at the mail server; empty: none"),
  mailerPasswd: secret("MAILER_PASSWD", text, "the password of MAILER_USER"),
  mailerFrom: setting<string>("MAILER_FROM", sender, "", "the sender, such as Forge <forge@example.org>"),
  mailerSubjectPrefix: setting<string>(
    "MAILER_SUBJECT_PREFIX",
    z.string().max(50, "expected 50 characters at most"),
    "",
    "what every subject begins with",
  ),
  mailerUserHourlyLimit: setting(
    "MAILER_USER_HOURLY_LIMIT",
    integer(1, 10_000),
    60,
    "mails that one user gets in an hour, a third of them of what one account does; further ones are left out",
  ),
  mailerActorHourlyLimit: setting(
    "MAILER_ACTOR_HOURLY_LIMIT",
    integer(1, 1_000_000),
    1_000,
    "mails that what one account does in an hour may cause; further ones are left out",
  ),
  defaultEmailNotifications: setting<MailChoice>(
    "DEFAULT_EMAIL_NOTIFICATIONS",
    z.enum(mailChoices, `expected one of ${mailChoices.join(", ")}`),
    "disabled",
    "what users have mailed who have not chosen",
  ),
  activeCodeLiveMinutes: setting(
    "ACTIVE_CODE_LIVE_MINUTES",
    integer(5, 10_080),
    180,
    "minutes for which the link that confirms an address counts",
  ),
} as const;
