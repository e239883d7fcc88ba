import { badRequest } from "#core/errors";
import type { NotificationQuery } from "#core/notification/notification";
import { type NotificationStatus, subjectKinds } from "#core/notification/notification.table";
import { flag, text, time, words } from "../../http/query.ts";

/** The words of `subject-type`; commits are no subjects so far. */
const subjectWords: readonly string[] = [...subjectKinds, "commit"];
const allStatuses: readonly NotificationStatus[] = ["unread", "read", "pinned"];

/** The query of the lists. */
export const listQuery = {
  all: flag,
  "status-types": words("unread, read, pinned; unread and pinned when absent; ignored with `all`"),
  "subject-type": words("issue, pull, commit, repository; all when absent"),
  since: time,
  before: time,
};

/** The query of what marks many. */
export const markQuery = {
  last_read_at: text.openapi({
    format: "date-time",
    description: "marks what was updated up to then; now when absent",
  }),
  all: flag,
  "status-types": words("those to mark: unread, read, pinned; unread when absent; ignored with `all`"),
  "to-status": text.openapi({
    default: "read",
    description: "read, unread or pinned; read when absent or unknown",
  }),
};

interface Statuses {
  readonly all?: boolean | undefined;
  readonly "status-types"?: readonly string[] | undefined;
}
interface ListQuery extends Statuses {
  readonly "subject-type"?: readonly string[] | undefined;
  readonly since?: number | undefined;
  readonly before?: number | undefined;
}
interface MarkQuery extends Statuses {
  readonly last_read_at?: string | undefined;
}

/** Which notifications a list shows, of one repository or all. Unknown words count as absent. */
export function listed(query: ListQuery, repositoryId?: number): NotificationQuery {
  const types = query["subject-type"]?.filter((type) => subjectWords.includes(type)) ?? [];
  return {
    statuses: statusesOf(query, ["unread", "pinned"]),
    kinds: types.length === 0 ? undefined : subjectKinds.filter((kind) => types.includes(kind)),
    since: query.since,
    before: query.before,
    repositoryId,
  };
}

/** Which notifications are marked. BadRequest for a time that is none (semantics §54). */
export function marked(query: MarkQuery, repositoryId?: number): NotificationQuery {
  const before = time.safeParse(query.last_read_at);
  if (!before.success)
    throw badRequest("last_read_at: expected an RFC 3339 time such as 2024-01-31T12:00:00Z");
  return { statuses: statusesOf(query, ["unread"]), before: before.data, repositoryId };
}

function statusesOf(
  query: Statuses,
  otherwise: readonly NotificationStatus[],
): readonly NotificationStatus[] {
  if (query.all === true) return allStatuses;
  const named = allStatuses.filter((status) => query["status-types"]?.includes(status));
  return named.length === 0 ? otherwise : named;
}

/** The status that notifications are given. */
export const statusNamed = (name: string | undefined): NotificationStatus =>
  allStatuses.find((status) => status === name) ?? "read";
