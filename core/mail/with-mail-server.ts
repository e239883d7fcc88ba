import type { Forge } from "../forge.ts";
import { composeMail, type Mail } from "./compose.ts";
import { endOutage, findOutage, noteOutage } from "./outage.ts";
import { MailServerAway, type MailSession, openMailSession, type SendOutcome } from "./session.ts";

/** After this many deferred mails in a row the server counts as away for everybody. */
const mostDeferredInRow = 3;

/** Sends one mail over the connection of the step. */
export type SendMail = (mail: Mail) => Promise<SendOutcome>;

/**
 * Does work that sends mails over one connection, opened with the first of them. Answers for how many milliseconds to
 * wait before trying again when the server is away; what was sent until then is the caller's to know.
 */
export async function withMailServer(
  forge: Forge,
  work: (send: SendMail) => Promise<void>,
): Promise<number | undefined> {
  const outage = await findOutage(forge);
  const leftMs = (outage?.until ?? 0) - forge.clock.now();
  if (leftMs > 0) return leftMs;
  let session: MailSession | undefined;
  let deferred = 0;
  let isBack = outage === undefined;
  try {
    await work(async (mail) => {
      const composed = await composeMail(forge, mail);
      session ??= await openMailSession(forge.config);
      const outcome = await session.send(composed);
      deferred = outcome.kind === "later" ? deferred + 1 : 0;
      if (outcome.kind === "later" && deferred >= mostDeferredInRow)
        throw new MailServerAway(outcome.problem);
      if (outcome.kind !== "later" && outage !== undefined && !isBack) {
        isBack = true;
        await endOutage(forge, outage);
      }
      return outcome;
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof MailServerAway)) throw error;
    return await noteOutage(forge, error.message);
  } finally {
    session?.close();
  }
}
