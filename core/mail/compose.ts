import type { Forge } from "../forge.ts";
import { oneLine, parseSender } from "./address.ts";

/** A mail as one user gets it. Texts are those of users: `composeMail` makes headers of them. */
export interface Mail {
  /** As `mailableAddress` answers it. */
  readonly to: string;
  /** The name shown beside the installation's address as the sender. */
  readonly senderName?: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The thing that it tells of, and the one that began the thread. */
  readonly thing: string;
  readonly thread?: string;
  /** Set for mails that many people get. */
  readonly list?: MailList;
}

/** The list that a mail is of: a repository. */
export interface MailList {
  readonly owner: string;
  readonly name: string;
  /** Its page. */
  readonly archive: string;
  /** Where its receiver ends these mails, by one POST (RFC 8058). */
  readonly unsubscribe: string;
}

/** The bytes of a mail, and whose they are. */
export interface ComposedMail {
  readonly envelope: { readonly from: string; readonly to: string[] };
  readonly message: Buffer;
}

const longestSubject = 200;
const longestName = 100;

/**
 * The bytes of a mail in both forms, text and HTML. Whatever texts of users hold, it makes no header of its own: they
 * are one line each, encoded by the composer.
 */
export async function composeMail({ config, clock }: Forge, mail: Mail): Promise<ComposedMail> {
  const sender = parseSender(config.mailerFrom);
  if (sender === undefined) throw new Error("MAILER_FROM is empty");
  const host = new URL(config.rootUrl).hostname;
  const idOf = (thing: string) => `<${thing}@${host}>`;
  const { thread } = mail;
  const isReply = thread !== undefined && thread !== mail.thing;
  const name = oneLine(mail.senderName ?? sender.name, longestName);
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer"); // few installations send mail
  const composer = new MailComposer({
    from: { name, address: sender.address },
    to: { name: "", address: mail.to },
    subject: oneLine(`${config.mailerSubjectPrefix}${mail.subject}`, longestSubject),
    text: mail.text,
    html: mail.html,
    date: new Date(clock.now()),
    messageId: idOf(mail.thing),
    ...(isReply ? { inReplyTo: idOf(thread), references: idOf(thread) } : {}),
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      ...(mail.list === undefined ? {} : listHeaders(mail.list, host)),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: "win",
  });
  const message = await composer.compile().build();
  return { envelope: { from: sender.address, to: [mail.to] }, message };
}

/** Names of owners and repositories have letters, digits, dots, hyphens and underlines alone. */
const listHeaders = ({ owner, name, archive, unsubscribe }: MailList, host: string) => ({
  "List-ID": `${owner}/${name} <${name}.${owner}.${host}>`,
  "List-Archive": `<${archive}>`,
  "List-Unsubscribe": `<${unsubscribe}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
});
