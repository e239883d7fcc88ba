import { createHash } from "node:crypto";
import type { Actor } from "../../actor.ts";
import { entryKey, type TimelineEntry } from "../../comment/comment.table.ts";
import type { Forge } from "../../forge.ts";
import { hasMentions, hasReferences, mentionedNames, withoutCode } from "../../reference/find-references.ts";
import { type TextReferences, type TextSource, textReferencesKey } from "../../reference/reference.table.ts";
import { absent, equals, exists } from "../../table/condition.ts";
import { check, keyText, type Write } from "../../table/write.ts";
import { type Issue, issueKey } from "../issue.table.ts";

/** A text that was written, rewritten or removed, as the queue hears of it: its author, and which text it was. */
export interface WrittenText extends TextSource {
  readonly userId: number;
  /** Whether the author's token is limited to public things. */
  readonly isPublicOnly: boolean;
  /** The date that counts for it, in whole seconds. */
  readonly at: number;
  /**
   * That date was given (B-01): the entries about the text get it, and issues there when they may (`dateOfReferred`).
   */
  readonly isDated: boolean;
  /** Of the text: when another has replaced it, that one's writer settles it. */
  readonly digest: string;
  /** Whom it mentions though the text that it replaces did not, in small letters; absent: nobody. */
  readonly newNames?: readonly string[];
}

/** The author of a text, absent when nobody known, and its date. */
export interface Writing {
  readonly actor?: Actor;
  readonly at: number;
  readonly isDated: boolean;
}

/**
 * The text of an issue or comment that may hold references: all but the code in its Markdown; a title is no Markdown.
 */
export const writtenTextOf = (written: Issue | TimelineEntry | undefined): string =>
  written === undefined
    ? ""
    : "title" in written
      ? `${String(written.title)}\n\n${withoutCode(written.body)}`
      : withoutCode(written.body);

/** Names a text. */
export const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 16);

/** The queue's message about a text that replaces another; undefined when neither refers to anything. */
export function writtenText(
  { config: { rootUrl } }: Forge,
  source: TextSource,
  { before, after }: { readonly before: string; readonly after: string },
  { actor, at, isDated }: Writing,
): WrittenText | undefined {
  const isSettled = before === after || !(hasReferences(before, rootUrl) || hasReferences(after, rootUrl));
  if (isSettled && !hasMentions(after)) return undefined;
  const { repositoryId, number, commentId } = source;
  const formerNames = mentionedNames(before);
  const newNames = mentionedNames(after).filter((name) => !formerNames.includes(name));
  return {
    ...{ repositoryId, number, commentId, at, isDated },
    userId: actor?.user.id ?? 0,
    isPublicOnly: actor?.grant?.isPublicOnly === true,
    digest: digestOf(after),
    ...(newNames.length === 0 ? {} : { newNames }),
  };
}

/** The present text, and its known references. */
export interface TextState {
  /** Undefined when the issue is gone. */
  readonly issue: Issue | undefined;
  /** Empty when the text is gone. */
  readonly text: string;
  readonly known: TextReferences | undefined;
  /** For a transaction: holds only while the text is as it was read. */
  readonly asRead: readonly Write[];
}

/** Reads a text with its known references, in one request. */
export async function readText({ table }: Forge, source: TextSource): Promise<TextState> {
  const { repositoryId, number, commentId } = source;
  const [ofIssue, ofComment] = [issueKey(repositoryId, number), entryKey(repositoryId, number, commentId)];
  const ofReferences = textReferencesKey(source);
  const isComment = commentId > 0;
  const found = await table.getAll([ofIssue, ofReferences, ...(isComment ? [ofComment] : [])]);
  const issue = found.get(keyText(ofIssue)) as Issue | undefined;
  const comment = found.get(keyText(ofComment)) as TimelineEntry | undefined;
  const written = isComment ? comment : issue;
  const isAsRead = written === undefined ? absent : equals({ v: written.v });
  const asRead = isComment
    ? [check(ofIssue, issue === undefined ? absent : exists), check(ofComment, isAsRead)]
    : [check(ofIssue, isAsRead)];
  return {
    issue,
    text: issue === undefined ? "" : writtenTextOf(written),
    known: found.get(keyText(ofReferences)) as TextReferences | undefined,
    asRead,
  };
}
