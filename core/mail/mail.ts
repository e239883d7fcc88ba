import type { MailChoice } from "../config/mail.ts";
import type { Config } from "../config.ts";
import type { News } from "../notification/news.ts";
import type { User } from "../user/user.table.ts";

/** Whether this installation sends mail at all (D-MAIL); settings without a server or a sender are refused. */
export const isMailOn = ({ mailerEnabled }: Config): boolean => mailerEnabled;

/**
 * All mail goes in turns of one: one connection to the server at a time, and one place of the worker. No owner has this
 * id.
 */
export const mailTurn = 0;

/** Older news are not mailed: the server was away too long, a message came late, or something bears an old date. */
export const longestDelayMs = 24 * 3_600_000;

/** Which news a user gets by mail: their choice, or the default of the installation. */
export const mailChoiceOf = (
  { defaultEmailNotifications }: Config,
  { emailNotifications }: Pick<User, "emailNotifications">,
): MailChoice => emailNotifications ?? defaultEmailNotifications;

/** Whether a user wants a mail of news that they hear of, or that they made themselves. */
export function wantsMail(config: Config, user: User, news: News): boolean {
  const choice = mailChoiceOf(config, user);
  if (choice === "disabled" || user.isLoginProhibited) return false;
  if (user.id === news.actorId) return choice === "andyourown";
  return choice !== "onmention" || namesReceivers(news);
}

/** Whether news name those whom they are for: a mention, an assignment, a review or a repository that they are asked for. */
const namesReceivers = ({ userIds, teamId, organizationId }: News): boolean =>
  userIds !== undefined || teamId !== undefined || organizationId !== undefined;

/** A key for the thing that news are about, the same for everybody and on each way: users get one mail of each thing. */
export function thingOf(news: News): string {
  const { repositoryId, number, at, commentId, releaseNumber, reviewId, what } = news;
  if (releaseNumber !== undefined) return `release.${repositoryId}.${releaseNumber}`;
  if (number === undefined) return `offer.${repositoryId}.${at}`;
  if (commentId !== undefined) return `comment.${repositoryId}.${commentId}`;
  if (what === undefined) return issueThing(repositoryId, number);
  return reviewId === undefined
    ? `${what}.${repositoryId}.${number}.${at}`
    : `${what}.${repositoryId}.${reviewId}`;
}

/** The issue or pull request itself: what every mail of its thread refers to. */
export const issueThing = (repositoryId: number, number: number): string => `issue.${repositoryId}.${number}`;
