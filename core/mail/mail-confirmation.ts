import { createHash } from "node:crypto";
import { escapeHtml } from "../escape-html.ts";
import type { Forge } from "../forge.ts";
import type { JobKind } from "../jobs/job.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { keyText } from "../table/write.ts";
import { type EmailAddress, emailAddressKey, type User } from "../user/user.table.ts";
import { mailableAddress } from "./address.ts";
import type { Mail } from "./compose.ts";
import { countMail } from "./limits.ts";
import { confirmationLink } from "./links.ts";
import { isMailOn, longestDelayMs } from "./mail.ts";
import type { SendOutcome } from "./session.ts";
import type { MailConfirmation } from "./start-confirmation.ts";
import { withMailServer } from "./with-mail-server.ts";

/** Links that one mailbox gets in an hour, whoever claims it, however its address is written: strangers must not be flooded. */
const mostPerMailbox = 3;
const pauseMs = 5 * 60_000;

/**
 * Mails an account the link that confirms an address, unless it is confirmed or gone by now. Tried again while the
 * server is away or puts it off, and given up after a day. It goes twice only when the worker or the connection died
 * after the server had taken it.
 */
export const mailConfirmationJob: JobKind<MailConfirmation, { readonly tries: number }> = {
  async step(forge, { userId, email, at }, cursor) {
    const { log, clock } = forge;
    const tries = (cursor?.tries ?? 0) + 1;
    if (at < clock.now() - longestDelayMs) {
      log.error("mail:given-up", { thing: "confirmation", userId });
      return { done: true };
    }
    const mail = isMailOn(forge.config) ? await confirmationOf(forge, userId, email) : undefined;
    if (mail === undefined) return { done: true };
    if (tries === 1 && !(await countMail(forge, digestOf(mail.to), mostPerMailbox))) {
      log.warn("mail:too-many", { thing: "confirmation", userId });
      return { done: true };
    }
    let outcome: SendOutcome | undefined;
    const awayMs = await withMailServer(forge, async (send) => {
      outcome = await send(mail);
    });
    if (awayMs !== undefined) return { cursor: { tries }, waitMs: awayMs };
    if (outcome === undefined || outcome.kind === "sent") return { done: true };
    log.warn(`mail:${outcome.kind === "later" ? "put-off" : "refused"}`, {
      userId,
      problem: outcome.problem,
    });
    return outcome.kind === "later" ? { cursor: { tries }, waitMs: pauseMs } : { done: true };
  },
};

/** The same for what most servers put into one mailbox: in any case, with and without what follows a plus. */
function digestOf(address: string): string {
  const mailbox = address.toLowerCase().replace(/\+.*@/, "@");
  return createHash("sha256").update(mailbox).digest("hex").slice(0, 32);
}

async function confirmationOf(forge: Forge, userId: number, email: string): Promise<Mail | undefined> {
  const { config, clock, table } = forge;
  const keys = { user: ownerKey(userId), address: emailAddressKey(userId, email) };
  const found = await table.getAll(Object.values(keys));
  const user = found.get(keyText(keys.user)) as User | undefined;
  const address = found.get(keyText(keys.address)) as EmailAddress | undefined;
  const to = mailableAddress(email);
  if (user === undefined || address === undefined || address.isVerified || to === undefined) return undefined;
  const { hostname } = new URL(config.rootUrl);
  const until = clock.now() + config.activeCodeLiveMinutes * 60_000;
  const link = confirmationLink(forge, { userId, email, until });
  const claim = `The account ${user.name} at ${hostname} says that this address is theirs.`;
  const hint = `The link counts for ${config.activeCodeLiveMinutes} minutes. If you are not ${user.name}, do nothing.`;
  return {
    to,
    subject: `Confirm your address at ${hostname}`,
    text: `${claim} To confirm it, open\n\n${link}\n\n${hint}\n`,
    html: `<p>${escapeHtml(claim)} To confirm it, open <a href="${link}">this link</a>.</p>\n<p>${escapeHtml(hint)}</p>\n`,
    thing: `confirmation.${userId}.${clock.now()}`,
  };
}
