import type { Actor } from "../../actor.ts";
import { nowSeconds } from "../../clock.ts";
import { entryKey, newEntry, rowOf, type TimelineEntry } from "../../comment/comment.table.ts";
import { attempts } from "../../concurrency/attempts.ts";
import { conflict } from "../../errors.ts";
import { type EventMessage, outbox, send } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import { nextIds } from "../../ids.ts";
import { noteDeltaWrite } from "../../list-index/compaction-requests.ts";
import { findIssueReferences } from "../../reference/find-references.ts";
import {
  type TextReference,
  type TextReferences,
  type TextSource,
  textReferencesKey,
} from "../../reference/reference.table.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import { absent, equals } from "../../table/condition.ts";
import { keyText, put, remove, type TableKey, type Write } from "../../table/write.ts";
import { findUserById } from "../../user/find.ts";
import { type FollowUp, rewriteIssue } from "../change/change.ts";
import { dateOfReferred } from "../change/update-date.ts";
import { findTargets, type Target } from "../internal/targets.ts";
import { issueIndex } from "../issue.index.ts";
import type { Issue } from "../issue.table.ts";
import type { IssueAddress } from "../placed-issues.ts";
import { mayEditIssue } from "../rights.ts";
import { noteMentions } from "./mentions.ts";
import { findNamedIssue, type NamedIssue } from "./named-issues.ts";
import {
  digestOf,
  readText,
  type TextState,
  type Writing,
  type WrittenText,
  writtenText,
} from "./written-text.ts";

/** How often a request that waits for an answer tries; the queue does the rest. */
const attemptsOfRequest = 5;
const mostConflicts = 3;
/** How many writes one transaction holds beside those about the text itself. */
const writesAtOnce = 80;

/**
 * The work after a text replaces another: issues and users that it names learn of it; undefined when neither text names
 * anything. It runs while the caller waits, because they may look at once.
 */
export function followText(
  forge: Forge,
  source: TextSource,
  texts: { readonly before: string; readonly after: string },
  writing: Writing,
): FollowUp | undefined {
  const written = writtenText(forge, source, texts, writing);
  if (written === undefined) return undefined;
  const due = outbox(forge, "repository-events", { kind: "settle-references", ...written });
  const work = async () => {
    try {
      const { actor } = writing;
      const settling = { due: due.item, mostAttempts: attemptsOfRequest };
      await settleReferences(forge, written, actor === undefined ? settling : { ...settling, actor });
    } catch (error) {
      forge.log.warn("issue:settle-later", {
        repositoryId: source.repositoryId,
        number: source.number,
        error,
      });
      await send(forge, [due]);
    }
  };
  return { write: due.write, work };
}

/** A text to settle, as a message of the queue. */
export type SettleMessage = EventMessage & WrittenText & { readonly kind: "settle-references" };

interface Settling {
  readonly actor?: Actor;
  /** The outbox item that goes with the last of it. */
  readonly due?: TableKey;
  readonly mostAttempts?: number;
}

/**
 * Makes the timelines of other issues tell what a text refers to (semantics §20.2): an entry for each issue that it
 * names, neutered once it does not name it any more; and records the users that it mentions. It works from the present
 * state, so it may come late, twice, or from two sides. It does nothing when the text is another by now: the writer of
 * that one settles it.
 */
export async function settleReferences(
  forge: Forge,
  written: WrittenText,
  { actor, due, mostAttempts }: Settling = {},
): Promise<void> {
  const user = actor?.user ?? (written.userId === 0 ? undefined : await findUserById(forge, written.userId));
  const round = {
    forge,
    written,
    actor: user === undefined ? undefined : { user },
    due,
    entryIds: new Map(),
  };
  for await (const _attempt of attempts(mostAttempts)) {
    const state = await readText(forge, written);
    if (digestOf(state.text) !== written.digest) return finish(forge, due);
    if (await settleOnce(round, state)) return;
  }
  throw conflict("others keep changing the issues that the text refers to; try again");
}

interface Round {
  readonly forge: Forge;
  readonly written: WrittenText;
  readonly actor: Actor | undefined;
  readonly due: TableKey | undefined;
  /** The ids of new entries, by their targets: the same when the work is repeated. */
  readonly entryIds: Map<string, number>;
}

const addressText = ({ repositoryId, number }: IssueAddress): string => `${repositoryId}.${number}`;

async function finish({ table }: Forge, due: TableKey | undefined): Promise<void> {
  if (due !== undefined) await table.removeAll([due]);
}

/** True when nothing is left to do; false when others got ahead. */
async function settleOnce(round: Round, state: TextState): Promise<boolean> {
  const { forge, written } = round;
  const { issue, text, known } = state;
  const named = issue === undefined ? [] : await namedIn(forge, issue, text);
  const old = known?.references ?? [];
  const isIn = (
    list: readonly (IssueAddress & { action: string })[],
    one: IssueAddress & { action: string },
  ) => list.some((other) => addressText(other) === addressText(one) && other.action === one.action);
  const fresh = named.filter((one) => !isIn(old, one));
  const vanished = old.filter((one) => !isIn(named, one));
  const repository = await forge.table.get<Repository>(repositoryKey(written.repositoryId));
  if (issue !== undefined && repository?.state === "live") {
    const { userId: authorId, commentId, newNames = [] } = written;
    const at = 1000 * (written.isDated ? nowSeconds(forge.clock) : written.at);
    await noteMentions(forge, repository, issue, { text, newNames, authorId, commentId, at });
  }
  const steps = [
    ...(await neuteringSteps(round, vanished)),
    ...(issue === undefined || repository === undefined
      ? []
      : await referringSteps(round, issue, await findTargets(forge, repository, fresh, round))),
  ];
  if (steps.length > 0) return commitSteps(round, state, steps);
  await finish(forge, round.due);
  return true;
}

/** Only the text of a pull acts on the issues it names: keywords in an issue's text do nothing. */
async function namedIn(forge: Forge, issue: Issue, text: string): Promise<NamedIssue[]> {
  const { rootUrl, closeKeywords, reopenKeywords } = forge.config;
  const references = findIssueReferences(text, { rootUrl, closeKeywords, reopenKeywords });
  const named = await findNamedIssue(forge, issue.repositoryId, references);
  const others = named.filter((one) => addressText(one) !== addressText(issue));
  return issue.kind === "pull" ? others : others.map((one) => ({ ...one, action: "none" }));
}

/** The change at one target: its writes, and the known references of the text after it. */
interface Step {
  readonly writes: readonly Write[];
  readonly added?: TextReference;
  readonly dropped?: TextReference;
  readonly touched?: Issue;
}

async function neuteringSteps(
  { forge, written }: Round,
  vanished: readonly TextReference[],
): Promise<Step[]> {
  const keyOf = ({ repositoryId, number, entryId }: TextReference) => entryKey(repositoryId, number, entryId);
  const entries = await forge.table.getAll<TimelineEntry>(vanished.map(keyOf));
  return vanished.map((dropped) => {
    const entry = entries.get(keyText(keyOf(dropped)));
    if (entry === undefined) return { writes: [], dropped };
    const neutered = { ...entry, refAction: "neutered", updatedAt: written.at, v: entry.v + 1 } as const;
    return { writes: [put(neutered, equals({ v: entry.v })), put(rowOf(neutered))], dropped };
  });
}

async function referringSteps(round: Round, issue: Issue, targets: readonly Target[]): Promise<Step[]> {
  const { forge, entryIds, written } = round;
  const unknown = targets.filter(({ issue: to }) => !entryIds.has(addressText(to)));
  const ids = unknown.length === 0 ? [] : await nextIds(forge.table, "comment", unknown.length);
  for (const [at, { issue: to }] of unknown.entries()) entryIds.set(addressText(to), ids[at] as number);
  const { commentId, at, userId } = written;
  return targets.map((target): Step => {
    const to = target.issue;
    const id = entryIds.get(addressText(to)) as number;
    const entry = newEntry(to, {
      id,
      type: commentId > 0 ? "comment_ref" : issue.kind === "pull" ? "pull_ref" : "issue_ref",
      authorId: userId,
      createdAt: at,
      related: {
        repositoryId: issue.repositoryId,
        number: issue.number,
        kind: issue.kind,
        isReference: true,
      },
      ...(commentId > 0 ? { relatedCommentId: commentId } : {}),
      refAction: actionOf(round, issue, target),
    });
    const updatedAt = dateOfReferred(forge, issue, target, written);
    const { repositoryId, number } = to;
    return {
      writes: [...rewriteIssue(to, { updatedAt }), put(entry), put(rowOf(entry))],
      added: { repositoryId, number, action: target.action, entryId: id },
      touched: to,
    };
  });
}

/** Ends all references from the texts of a deleted issue, or of one of its comments. */
export const dropReferences = (forge: Forge, source: TextSource): Promise<void> =>
  settleReferences(forge, {
    ...source,
    ...{ userId: 0, isPublicOnly: false, at: nowSeconds(forge.clock), isDated: false, digest: digestOf("") },
  });

/**
 * Only issues are closed and reopened, by users who could do it themselves. A pull's keyword always counts in its own
 * repository, because the rights of the merging user are checked then.
 */
function actionOf(
  { written, actor }: Round,
  issue: Issue,
  { issue: to, action, rights }: Target,
): Target["action"] {
  if (to.kind !== "issue") return "none";
  if (written.commentId === 0 && to.repositoryId === issue.repositoryId) return action;
  return actor !== undefined && rights !== undefined && mayEditIssue(rights, actor, to) ? action : "none";
}

/** Transaction by transaction, each on the condition that the text is as it was read; false when one failed. */
async function commitSteps(
  { forge, written, due }: Round,
  state: TextState,
  steps: Step[],
): Promise<boolean> {
  let { known } = state;
  const left = [...steps];
  while (left.length > 0) {
    const chunk = chunkOf(left);
    const next = knownAfter(written, known, chunk);
    const writes = [
      ...state.asRead,
      next.references.length === 0
        ? remove(textReferencesKey(written), asRead(known))
        : put(next, asRead(known)),
      ...chunk.flatMap((step) => step.writes),
      ...(left.length === 0 && due !== undefined ? [remove(due)] : []),
    ];
    const { committed } = await forge.table.transact(writes, { mostConflicts });
    if (!committed) return false;
    known = next.references.length === 0 ? undefined : next;
    for (const { touched } of chunk) {
      if (touched !== undefined) await noteDeltaWrite(forge, issueIndex(touched.repositoryId));
    }
  }
  return true;
}

/** Takes as many steps as fit into one transaction. */
function chunkOf(left: Step[]): Step[] {
  let count = 0;
  const end = left.findIndex((step) => {
    count += step.writes.length;
    return count > writesAtOnce;
  });
  return left.splice(0, end < 0 ? left.length : end);
}

const asRead = (known: TextReferences | undefined) => (known === undefined ? absent : equals({ v: known.v }));

function knownAfter(
  source: TextSource,
  known: TextReferences | undefined,
  steps: readonly Step[],
): TextReferences {
  const dropped = new Set(steps.map((step) => step.dropped?.entryId));
  const kept = (known?.references ?? []).filter(({ entryId }) => !dropped.has(entryId));
  const references = [...kept, ...steps.flatMap((step) => step.added ?? [])];
  return { ...textReferencesKey(source), references, v: (known?.v ?? 0) + 1, _v: 1 };
}
