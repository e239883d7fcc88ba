import type { Forge } from "#core/forge";
import type { Issue } from "#core/issue/issue.table";
import { findReferredByIssues, type IssueInPlace, type IssuePlace } from "#core/issue/referred";
import type { View } from "../../http/answer/view.ts";
import { presentPlaced } from "./present.ts";
import type { IssueJson } from "./schema.ts";

/** Reads what issues of any repositories refer to, and presents them with it. */
export async function showPlaced(
  forge: Forge,
  view: View,
  placed: readonly IssueInPlace[],
): Promise<IssueJson[]> {
  return presentPlaced(view, placed, await findReferredByIssues(forge, view.actor, placed));
}

/** Like `showPlaced`, for issues of one repository. */
export const showIssues = (
  forge: Forge,
  view: View,
  place: IssuePlace,
  issues: readonly Issue[],
): Promise<IssueJson[]> =>
  showPlaced(
    forge,
    view,
    issues.map((issue) => ({ place, issue })),
  );

/** Like `showPlaced`, for one. */
export async function showIssue(
  forge: Forge,
  view: View,
  place: IssuePlace,
  issue: Issue,
): Promise<IssueJson> {
  const [shown] = await showIssues(forge, view, place, [issue]);
  return shown as IssueJson;
}
