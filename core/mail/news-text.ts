import { entryKey, type TimelineEntry } from "../comment/comment.table.ts";
import type { Config } from "../config.ts";
import { escapeHtml } from "../escape-html.ts";
import type { Forge } from "../forge.ts";
import type { News } from "../notification/news.ts";
import type { Subject } from "../notification/receivers.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { type Release, releaseKey } from "../release/release.table.ts";
import { type Review, type ReviewText, reviewKey, reviewTextKey } from "../review/review.table.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import { mailText } from "./address.ts";
import type { Mail, MailList } from "./compose.ts";
import { issueThing, thingOf } from "./mail.ts";

/** A mail of news, but for its receiver. */
export type NewsMail = Omit<Mail, "to" | "list"> & { readonly list: Omit<MailList, "unsubscribe"> };

/**
 * What a mail of news says now: the texts are those of this moment (D-TEXT). Undefined when what it would tell of is
 * gone.
 */
export async function describeNews(
  forge: Forge,
  news: News,
  subject: Subject,
): Promise<NewsMail | undefined> {
  const { repository } = subject;
  const read = await readTexts(forge, news, subject);
  const { owner } = read;
  const told = owner && tell(news, subject, read);
  if (owner === undefined || told === undefined) return undefined;
  const { issue } = subject;
  const place = `${owner.name}/${repository.name}`;
  const page = `${forge.config.rootUrl}/${place}`;
  const link = `${page}${told.path}`;
  const isReply = issue !== undefined && thingOf(news) !== issueThing(issue.repositoryId, issue.number);
  const title = issue === undefined ? told.title : `${issue.title} (#${issue.number})`;
  return {
    senderName: `${read.actorName} (${hostOf(forge.config)})`,
    subject: `${isReply ? "Re: " : ""}[${place}] ${title}`,
    ...partsOf(`${read.actorName} ${told.lead}`, told.body, link),
    thing: thingOf(news),
    ...(issue === undefined ? {} : { thread: issueThing(issue.repositoryId, issue.number) }),
    list: { owner: owner.name, name: repository.name, archive: page },
  };
}

const hostOf = ({ rootUrl }: Config): string => new URL(rootUrl).hostname;

interface Texts {
  readonly owner: Owner | undefined;
  readonly actorName: string;
  readonly comment: TimelineEntry | undefined;
  readonly review: Review | undefined;
  readonly reviewBody: string;
  readonly release: Release | undefined;
}

/** All in one request. */
async function readTexts({ table }: Forge, news: News, { repository }: Subject): Promise<Texts> {
  const { repositoryId, number = 0, commentId, reviewId, releaseNumber } = news;
  const review = { repositoryId, number, id: reviewId ?? 0 };
  const keys = {
    owner: ownerKey(repository.ownerId),
    actor: ownerKey(news.actorId),
    ...(commentId === undefined ? {} : { comment: entryKey(repositoryId, number, commentId) }),
    ...(reviewId === undefined
      ? {}
      : { review: reviewKey(repositoryId, number, reviewId), text: reviewTextKey(review) }),
    ...(releaseNumber === undefined ? {} : { release: releaseKey(repositoryId, releaseNumber) }),
  };
  const found = await table.getAll(Object.values(keys));
  const at = <T extends Item>(key: TableKey | undefined) => key && (found.get(keyText(key)) as T | undefined);
  return {
    owner: at<Owner>(keys.owner),
    actorName: at<Owner>(keys.actor)?.name ?? "Ghost",
    comment: at<TimelineEntry>(keys.comment),
    review: at<Review>(keys.review),
    reviewBody: at<ReviewText>(keys.text)?.body ?? "",
    release: at<Release>(keys.release),
  };
}

/** What happened, in words behind the actor's name; `path` is below the repository's page. */
interface Told {
  readonly lead: string;
  readonly body: string;
  readonly path: string;
  readonly title: string;
}

function tell(news: News, subject: Subject, texts: Texts): Told | undefined {
  const { issue } = subject;
  if (news.releaseNumber !== undefined) return tellOfRelease(texts);
  if (issue === undefined) {
    return { lead: "offers you this repository", body: "", path: "", title: "is offered to you" };
  }
  const kind = issue.kind === "pull" ? "pull request" : "issue";
  const path = `/${issue.kind === "pull" ? "pulls" : "issues"}/${issue.number}`;
  const told = (lead: string, body = "", anchor = "") => ({
    lead,
    body,
    path: `${path}${anchor}`,
    title: "",
  });
  const { commentId, isMention, what, userIds } = news;
  if (commentId !== undefined) {
    const { comment } = texts;
    if (comment === undefined) return undefined;
    const lead = isMention === true ? `mentioned you on this ${kind}` : `commented on this ${kind}`;
    return told(lead, comment.body, `#issuecomment-${commentId}`);
  }
  if (isMention === true) return told(`mentioned you on this ${kind}`, issue.body);
  if (what === undefined) {
    return told(`opened this ${kind}${userIds === undefined ? "" : " and assigned you"}`, issue.body);
  }
  if (what === "reviewed" || what === "asked") return tellOfReview(texts, what, told);
  const isMerged = what === "closed" && issue.pull?.merge !== undefined;
  return told(
    what === "assigned" ? `assigned you to this ${kind}` : `${isMerged ? "merged" : what} this ${kind}`,
  );
}

function tellOfReview(
  { review, reviewBody }: Texts,
  what: "reviewed" | "asked",
  told: (lead: string, body?: string) => Told,
): Told | undefined {
  if (what === "asked") return told("asks you for a review of this pull request");
  if (review === undefined || review.state === "pending") return undefined;
  const { state, commentIds } = review;
  const verdict =
    state === "approved" ? "approved" : state === "rejected" ? "requests changes of" : "reviewed";
  const onLines = commentIds.length === 0 ? "" : `\n\n(comments on lines: ${commentIds.length})`;
  return told(`${verdict} this pull request`, `${reviewBody}${onLines}`);
}

function tellOfRelease({ release }: Texts): Told | undefined {
  if (release === undefined || release.isDraft) return undefined;
  const { tagName, title, body } = release;
  const path = `/releases/tag/${encodeURIComponent(tagName)}`;
  return { lead: `released ${tagName}`, body, path, title: title === "" ? tagName : title };
}

/** The two forms of one mail. */
function partsOf(lead: string, given: string, link: string): { text: string; html: string } {
  const { text: body, isCut } = mailText(given);
  const rest = isCut ? "\n\n[…] The rest stands on the page." : "";
  const said = body === "" ? `${lead}.` : `${lead}:\n\n${body}${rest}`;
  const quoted =
    body === ""
      ? ""
      : `<blockquote style="white-space: pre-wrap">${escapeHtml(`${body}${rest}`)}</blockquote>`;
  const anchor = `<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`;
  return {
    text: `${said}\n\n-- \n${link}\n`,
    html: `<p>${escapeHtml(lead)}${body === "" ? "." : ":"}</p>\n${quoted}\n<hr>\n<p>${anchor}</p>\n`,
  };
}
