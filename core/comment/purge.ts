import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import * as issues from "../issue/issue.ts";
import { equals, remove } from "../table.ts";
import { changedWords } from "../word-index/word-index.ts";
import { entryKey, entryRowKey, type TimelineEntry, textPlace } from "./comment.table.ts";

/** Removes a comment, for the purge of its author (B-14); nothing happens when it is gone. */
export async function purge(
  forge: Forge,
  { repositoryId, issueNumber, id }: Pick<TimelineEntry, "repositoryId" | "issueNumber" | "id">,
): Promise<void> {
  const access = await issues.findForJob(forge, repositoryId);
  if (access === undefined) return;
  try {
    await issues.change(forge, access, issueNumber, async (issue) => {
      const key = entryKey(repositoryId, issueNumber, id);
      const entry = await forge.table.get<TimelineEntry>(key);
      if (entry === undefined) return undefined;
      const words = { before: [entry.body], after: [], v: entry.v + 1 };
      return {
        issue: { ...issue, comments: issue.comments - 1 },
        entries: [],
        events: [],
        ...(issue.kind === "issue" ? { counts: { issueComments: -1 } } : {}),
        writes: [
          remove(key, equals({ v: entry.v })),
          remove(entryRowKey(repositoryId, id)),
          ...(await changedWords(forge, textPlace(entry), words)),
        ],
      };
    });
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
}
