import type { RepositoryAccess } from "#core/access/repository-access";
import type * as dependencies from "#core/dependency/dependency";
import type { Forge } from "#core/forge";
import type { Issue } from "#core/issue/issue.table";
import * as users from "#core/user/user";
import { issueJson, presentPlaced } from "../issue/present.ts";
import type { IssueJson } from "../issue/schema.ts";
import type { View } from "../view.ts";

/**
 * What an issue waits for. Of what the caller may not read those who may not write the issue learn nothing but that it
 * is there; writers its number, title, state and repository (semantics §50).
 */
export async function presentDependencies(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  rows: readonly dependencies.Dependency[],
): Promise<IssueJson[]> {
  const readable = rows.flatMap(({ issue, access: place }) => (place === undefined ? [] : { issue, place }));
  const shown = await presentPlaced(forge, view, readable);
  const whole = new Map(readable.map(({ issue }, at) => [issue, shown[at] as IssueJson]));
  return rows.map((row) => whole.get(row.issue) ?? maskedJson(view, access, row));
}

const nothing = { users: new Map(), labels: new Map(), milestones: new Map(), attachments: new Map() };

function maskedJson(view: View, home: RepositoryAccess, row: dependencies.Dependency): IssueJson {
  const place = "place" in row ? row.place : undefined;
  const { issue } = row;
  const bare: Issue = {
    ...issue,
    ...{ id: 0, authorId: users.ghost.id, body: "", ref: "", isLocked: false, labelIds: [], milestoneId: 0 },
    ...{ assigneeIds: [], pin: 0, comments: 0, dueAt: 0, createdAt: 0, updatedAt: 0, closedAt: 0 },
  };
  if (place !== undefined) return issueJson(view, place, bare, nothing);
  const unnamed: Issue = { ...bare, number: 0, title: "HIDDEN", isClosed: false, kind: "issue" };
  const repository = { id: 0, name: "", owner: "", full_name: "" };
  return { ...issueJson(view, home, unnamed, nothing), url: "", html_url: "", repository };
}
