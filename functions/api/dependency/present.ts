import type { Dependency } from "#core/dependency/list";
import { ghostUser } from "#core/user/system-users";
import type { View } from "../../http/answer/view.ts";
import { timestamp } from "../../http/timestamps.ts";
import type { IssueJson } from "../issue/schema.ts";
import { presentUser } from "../user/present.ts";

/**
 * The issues that an issue waits for, with those that the caller may read in `readable`, in the same order. Of one that
 * the caller may not read they learn only that it exists; writers of the issue also its id, by which they can remove it
 * (D-HIDDEN wins over semantics §50).
 */
export function presentDependencies(
  view: View,
  rows: readonly Dependency[],
  readable: readonly IssueJson[],
): IssueJson[] {
  const shown = readable.values();
  return rows.map((row) =>
    "hiddenId" in row ? maskedJson(view, row.hiddenId ?? 0) : (shown.next().value as IssueJson),
  );
}

const maskedJson = (view: View, id: number): IssueJson => ({
  ...{ id, url: "", html_url: "", number: 0, user: presentUser(view, ghostUser) },
  ...{ original_author: "", original_author_id: 0, title: "HIDDEN", body: "", ref: "" },
  ...{ assets: [], labels: [], milestone: null, assignee: null, assignees: [] },
  ...{ state: "open", is_locked: false, comments: 0, closed_at: null, due_date: null, pull_request: null },
  ...{ created_at: timestamp(0), updated_at: timestamp(0), pin_order: 0 },
  repository: { id: 0, name: "", owner: "", full_name: "" },
});
