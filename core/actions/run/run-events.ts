/** The names below `on` that runs come from (semantics §64.2). Entries of lists hold their places: new ones go last. */
export const runEvents = [
  "push",
  "pull_request",
  "pull_request_target",
  "pull_request_review",
  "pull_request_review_comment",
  "issues",
  "issue_comment",
  "release",
  "registry_package",
  "create",
  "delete",
  "fork",
  "gollum",
  "schedule",
  "workflow_dispatch",
] as const;
export type RunEvent = (typeof runEvents)[number];

export const isRunEvent = (name: string): name is RunEvent => runEvents.some((event) => event === name);
