/** Every event type of semantics §27.3, in the order of a hook's `events`. */
export const eventTypes = [
  "create",
  "delete",
  "fork",
  "push",
  "issues",
  "issue_assign",
  "issue_label",
  "issue_milestone",
  "issue_comment",
  "pull_request",
  "pull_request_assign",
  "pull_request_label",
  "pull_request_milestone",
  "pull_request_comment",
  "pull_request_review_approved",
  "pull_request_review_rejected",
  "pull_request_review_comment",
  "pull_request_sync",
  "pull_request_review_request",
  "wiki",
  "repository",
  "release",
  "package",
] as const;
/** The event, as in the `…-Event-Type` headers and in a hook's `events`. */
export type EventType = (typeof eventTypes)[number];

const typesStartingWith = (prefix: string) => eventTypes.filter((type) => type.startsWith(prefix));
const reviewTypes = typesStartingWith("pull_request_review_").filter((type) => !type.endsWith("_request"));

/** Names in a request that stand for other types than the one of the same name. */
const namesForOthers: Readonly<Record<string, readonly EventType[]>> = {
  issues: typesStartingWith("issue"),
  issues_only: ["issues"],
  pull_request: typesStartingWith("pull_request"),
  pull_request_only: ["pull_request"],
  pull_request_review: reviewTypes,
};

/** The types that a list of event names turns on (semantics §27.2): no names mean push, unknown names nothing. */
export function expandEvents(names: readonly string[]): EventType[] {
  const asked = names.length === 0 ? ["push"] : names;
  const wanted = new Set(asked.flatMap((name): readonly string[] => namesForOthers[name] ?? [name]));
  return eventTypes.filter((type) => wanted.has(type));
}

/** Types whose group has another name than they have. */
const groups: Partial<Record<EventType, string>> = {
  issue_assign: "issues",
  issue_label: "issues",
  issue_milestone: "issues",
  pull_request_comment: "issue_comment",
  pull_request_assign: "pull_request",
  pull_request_label: "pull_request",
  pull_request_milestone: "pull_request",
  pull_request_sync: "pull_request",
  pull_request_review_request: "pull_request",
  pull_request_review_approved: "pull_request_approved",
  pull_request_review_rejected: "pull_request_rejected",
  pull_request_review_comment: "pull_request_comment",
};

/** The group of a type, as in the `…-Event` headers. */
export const eventGroup = (type: EventType): string => groups[type] ?? type;
