import { randomUUID } from "node:crypto";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type FoundIssues, findIssues } from "./internal/search.ts";
import { queryWords } from "./words.ts";

/** The words of a repository's issues and comments: written with each text, posted by a worker. */

/**
 * Each text with waiting words costs every search part of a read unit: from so many on a worker is asked to post them.
 */
const mostWaiting = 32;
const minuteMs = 60_000;

/**
 * The issues and pulls that a keyword query finds (D-SEARCH): each of its words is somewhere in title, body or
 * comments. None when the query has neither letter nor digit.
 */
export async function searchWords(forge: Forge, repositoryId: number, query: string): Promise<FoundIssues> {
  const words = queryWords(query);
  if (words.length === 0) return { numbers: new Set(), isExact: true, waiting: 0 };
  const found = await findIssues(forge, repositoryId, words);
  if (found.waiting >= mostWaiting) await queueCompaction(forge, repositoryId);
  return found;
}

/** Asks a worker to post the waiting words. The event is the same for a minute, so it is worked on once. */
async function queueCompaction(forge: Forge, repositoryId: number): Promise<void> {
  const minute = Math.floor(forge.clock.now() / minuteMs);
  await send(forge, [compactionMessage(repositoryId, `compact-words-${repositoryId}-${minute}`)]);
}

/** The message that makes a worker of the repository-events queue post the waiting words of a repository. */
export const compactionMessage = (repositoryId: number, eventId: string = randomUUID()) =>
  ({ queue: "repository-events", message: { kind: "compact-words", repositoryId, eventId } }) as const;
