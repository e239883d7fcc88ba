import { createHash } from "node:crypto";
import type { Actor } from "../actor.ts";
import { entryKey, type TimelineEntry } from "../comment/comment.table.ts";
import type { Forge } from "../forge.ts";
import { type TextReferences, type TextSource, textReferencesKey } from "../reference/reference.table.ts";
import { hasMentions, hasReferences, withoutCode } from "../references.ts";
import { absent, check, equals, exists, keyText, type Write } from "../table.ts";
import { type Issue, issueKey } from "./issue.table.ts";

/** A text that was written, rewritten or removed, as the queue is told of it: by whom, and which it was. */
export interface WrittenText extends TextSource {
  readonly userId: number;
  /** His token is limited to what is public. */
  readonly isPublicOnly: boolean;
  /** What it counts from, in whole seconds. */
  readonly at: number;
  /** That date was given (B-01): what tells of the text gets it, and the issues there where it may (`dateOfReferred`). */
  readonly isDated: boolean;
  /** Of the text: when another has taken its place, that one's writer settles it. */
  readonly digest: string;
}

/** Who writes a text, nobody known when absent, and the date that it counts from. */
export interface Writing {
  readonly actor?: Actor;
  readonly at: number;
  readonly isDated: boolean;
}

/** What of an issue or comment may refer to something: all but the code in its Markdown; a title is no Markdown. */
export const textOf = (written: Issue | TimelineEntry | undefined): string =>
  written === undefined
    ? ""
    : "title" in written
      ? `${String(written.title)}\n\n${withoutCode(written.body)}`
      : withoutCode(written.body);

/** Names a text. */
export const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 16);

/** What the queue is told of a text that takes another's place; undefined when neither refers to anything. */
export function writtenText(
  { config: { rootUrl } }: Forge,
  source: TextSource,
  { before, after }: { readonly before: string; readonly after: string },
  { actor, at, isDated }: Writing,
): WrittenText | undefined {
  const isSettled = before === after || !(hasReferences(before, rootUrl) || hasReferences(after, rootUrl));
  if (isSettled && !hasMentions(after)) return undefined;
  const { repositoryId, number, commentId } = source;
  return {
    ...{ repositoryId, number, commentId, at, isDated },
    userId: actor?.user.id ?? 0,
    isPublicOnly: actor?.grant?.isPublicOnly === true,
    digest: digestOf(after),
  };
}

/** A text as it is now, and what it was found to refer to before. */
export interface TextState {
  /** Undefined when the issue is gone. */
  readonly issue: Issue | undefined;
  /** Empty when the text is gone. */
  readonly text: string;
  readonly known: TextReferences | undefined;
  /** For a transaction: only while the text is as it was read. */
  readonly asRead: readonly Write[];
}

/** Reads a text with what it refers to, in one request. */
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
    text: issue === undefined ? "" : textOf(written),
    known: found.get(keyText(ofReferences)) as TextReferences | undefined,
    asRead,
  };
}
