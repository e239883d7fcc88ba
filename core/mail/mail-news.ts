import { nowSeconds } from "../clock.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { JobKind, JobStep } from "../jobs/job.ts";
import type { News } from "../notification/news.ts";
import { findSubject, receiversAmong } from "../notification/receivers.ts";
import { keyText, put } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { mailableAddress } from "./address.ts";
import { causeOf, countCaused, countMailTo, type MailCause, mailsLeftFor } from "./limits.ts";
import { unsubscribeLink } from "./links.ts";
import { type Mailed, mailedKey } from "./mail.table.ts";
import { isMailOn, longestDelayMs, thingOf, wantsMail } from "./mail.ts";
import { describeNews, type NewsMail } from "./news-text.ts";
import type { MailNews } from "./start-mails.ts";
import { type SendMail, withMailServer } from "./with-mail-server.ts";

/** Mails over one connection, and in how many milliseconds a step ends at the latest. */
const mailsPerStep = 100;
const stepMs = 30_000;
/** Rights are looked at for so many users at once, right before their mails. */
const judgedAtOnce = 20;
const keptSeconds = 2 * 86_400;
const firstPauseMs = 60_000;
const longestPauseMs = 3_600_000;

/** The users who are left, in the round of those whom the server put off; and whom it put off in this one. */
interface MailingCursor {
  readonly at: number;
  /** Absent: the users of the job. */
  readonly users?: readonly number[];
  readonly later: readonly number[];
  readonly round: number;
}

/**
 * Mails news to users. Each gets a mail of a thing once: it is noted as soon as the server has taken it, so a second one,
 * with the same Message-ID, goes out only when the worker or the connection died in between. Given up after a day.
 */
export const mailNewsJob: JobKind<MailNews, MailingCursor> = {
  async step(forge, { news, userIds, begunAt = news.at }, cursor = { at: 0, later: [], round: 0 }) {
    const users = cursor.users ?? userIds;
    const left = users.length - cursor.at + cursor.later.length;
    if (news.at < forge.clock.now() - longestDelayMs) {
      forge.log.error("mail:given-up", { thing: thingOf(news), receivers: left });
      return { done: true };
    }
    if (!isMailOn(forge.config)) return { done: true };
    const run = new MailingRun(forge, news, { users, begunAt, cursor });
    const awayMs = await withMailServer(forge, (send) => run.go(send));
    return run.stepAfter(awayMs);
  },
};

interface Found {
  readonly mail: NewsMail;
  readonly receivers: ReadonlyMap<number, User>;
}

interface Mailing {
  readonly users: readonly number[];
  readonly begunAt: number;
  readonly cursor: MailingCursor;
}

class MailingRun {
  readonly #forge: Forge;
  readonly #news: News;
  readonly #cause: MailCause;
  readonly #users: readonly number[];
  readonly #round: number;
  readonly #later: number[];
  #at: number;
  #sent = 0;
  #isOver = false;

  constructor(forge: Forge, news: News, { users, begunAt, cursor: { at, later, round } }: Mailing) {
    this.#forge = forge;
    this.#news = news;
    this.#cause = causeOf(news, begunAt);
    this.#users = users;
    this.#round = round;
    this.#later = [...later];
    this.#at = at;
  }

  /** Sends the mails of one step. What it has done when it throws is not forgotten. */
  async go(send: SendMail): Promise<void> {
    const { clock } = this.#forge;
    const endMs = clock.now() + stepMs;
    const end = Math.min(this.#at + mailsPerStep, this.#users.length);
    while (this.#at < end && clock.now() < endMs) {
      const left = await mailsLeftFor(this.#forge, this.#cause);
      if (left === 0) return this.#leaveOthersOut();
      const some = this.#users.slice(this.#at, Math.min(this.#at + Math.min(judgedAtOnce, left), end));
      const found = await this.#findReceivers(some);
      if (found === undefined) {
        this.#isOver = true;
        return;
      }
      this.#sent = 0;
      try {
        await this.#sendToSome(some, found, send, endMs);
      } finally {
        await countCaused(this.#forge, this.#cause, this.#sent);
      }
    }
  }

  /** Those who are not reached before `endMs` have their rights looked at anew. */
  async #sendToSome(ids: readonly number[], found: Found, send: SendMail, endMs: number): Promise<void> {
    for (const id of ids) {
      if (this.#forge.clock.now() >= endMs) return;
      const user = found.receivers.get(id);
      if (user !== undefined) await this.#sendTo(user, found.mail, send);
      this.#at += 1;
    }
  }

  /** The actor has caused as many mails as they may in an hour: the other users find the news among their notifications. */
  #leaveOthersOut(): void {
    const leftOut = this.#users.length - this.#at + this.#later.length;
    const { actorId, causerId } = this.#news;
    const by = { actorId, ...defined({ causerId }) };
    this.#forge.log.warn("mail:too-many-of-actor", { ...by, thing: thingOf(this.#news), leftOut });
    this.#isOver = true;
  }

  /** The mail, and who of these users may and wants to get it now and has not; undefined when its subject is gone. */
  async #findReceivers(ids: readonly number[]): Promise<Found | undefined> {
    const forge = this.#forge;
    const news = this.#news;
    const subject = await findSubject(forge, news);
    const mail = subject && (await describeNews(forge, news, subject));
    if (subject === undefined || mail === undefined) return undefined;
    const [hearing, mailed] = await Promise.all([
      receiversAmong(forge, news, subject, ids),
      forge.table.getAll(ids.map((id) => mailedKey(thingOf(news), id))),
    ]);
    const receivers = hearing.filter(
      (user) =>
        wantsMail(forge.config, user, news) && !mailed.has(keyText(mailedKey(thingOf(news), user.id))),
    );
    return { mail, receivers: new Map(receivers.map((user) => [user.id, user])) };
  }

  async #sendTo(user: User, mail: NewsMail, send: SendMail): Promise<void> {
    const forge = this.#forge;
    const { log, table, clock } = forge;
    const thing = thingOf(this.#news);
    const to = mailableAddress(user.email);
    if (to === undefined) return log.warn("mail:no-address", { userId: user.id });
    // A mail that the server put off was counted the first time: tries must not use up what the user may get.
    const isCounted = this.#round > 0;
    if (!isCounted && !(await countMailTo(forge, user.id, this.#cause))) {
      return log.warn("mail:too-many", { userId: user.id, thing, of: this.#cause.causer });
    }
    const unsubscribe = unsubscribeLink(forge, user.id);
    const outcome = await send({
      ...mail,
      to,
      text: `${mail.text}No mail of this kind any more: ${unsubscribe}\n`,
      html: `${mail.html}<p><a href="${unsubscribe}">No mail of this kind any more</a></p>\n`,
      list: { ...mail.list, unsubscribe },
    });
    if (outcome.kind === "later") {
      this.#later.push(user.id);
      return log.warn("mail:put-off", { userId: user.id, thing, problem: outcome.problem });
    }
    this.#sent += 1;
    if (outcome.kind === "refused") {
      log.warn("mail:refused", { userId: user.id, thing, problem: outcome.problem });
    }
    const ttl = nowSeconds(clock) + keptSeconds;
    const mailed: Mailed = { ...mailedKey(thing, user.id), ttl, _v: 1 };
    await table.write(put(mailed));
  }

  /** What the job does after this step. */
  stepAfter(awayMs: number | undefined): JobStep<MailingCursor> {
    if (this.#isOver) return { done: true };
    const round = this.#round;
    const users = round === 0 ? {} : { users: this.#users };
    const cursor = { at: this.#at, later: this.#later, round, ...users };
    if (awayMs !== undefined) return { cursor, waitMs: awayMs };
    if (this.#at < this.#users.length) return { cursor };
    if (this.#later.length === 0) return { done: true };
    const waitMs = Math.min(firstPauseMs * 2 ** Math.min(round, 10), longestPauseMs);
    return { cursor: { at: 0, users: this.#later, later: [], round: round + 1 }, waitMs };
  }
}
