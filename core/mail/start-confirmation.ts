import { rateLimited } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type NewJob, startJob } from "../jobs/job.ts";
import { countMail } from "./limits.ts";
import { mailTurn } from "./mail.ts";

/** The kind of the job that mails the link which confirms an address. */
export const confirmationKind = "mail-confirmation";

/** The addresses that an account may ask to be mailed a link in an hour. */
const mostPerHour = 20;

/** An address that an account claims, since `at` (milliseconds). */
export interface MailConfirmation {
  readonly userId: number;
  readonly email: string;
  readonly at: number;
}

/** Counts one more link for an account. RateLimited when it has asked for too many. */
export async function countConfirmation(forge: Forge, userId: number): Promise<void> {
  if (await countMail(forge, `confirming-${userId}`, mostPerHour)) return;
  throw rateLimited(`an account may add at most ${mostPerHour} addresses in an hour; try again later`, 3_600);
}

/** The job that mails the link: for the transaction that adds the address. */
export function startConfirmation(forge: Forge, userId: number, email: string): NewJob {
  const confirmation: MailConfirmation = { userId, email, at: forge.clock.now() };
  return startJob(forge, confirmationKind, confirmation, { queue: "mirrors", turnOf: mailTurn });
}
