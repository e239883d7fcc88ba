import type { Forge } from "#core/forge";
import type { Issue } from "#core/issue/issue.table";
import type { IssuePlace } from "#core/issue/referred";
import type { TrackedTime } from "#core/tracked-time/tracked-time.table";
import { findUsersNear } from "#core/user/find-near";
import { ghostUser } from "#core/user/system-users";
import type { View } from "../../http/answer/view.ts";
import type { IssueJson } from "../issue/schema.ts";
import { showPlaced } from "../issue/show.ts";
import { trackedTime } from "./present.ts";
import type { TrackedTimeJson } from "./schema.ts";

/** A time to be shown. */
interface Shown {
  readonly time: TrackedTime;
  readonly issue: Issue;
  readonly access: IssuePlace;
}

/** Reads and presents times with their issues, which may be of several repositories, and with their users. */
export async function showTimes(
  forge: Forge,
  view: View,
  shown: readonly Shown[],
): Promise<TrackedTimeJson[]> {
  const placed = new Map(shown.map(({ issue, access }) => [issue.id, { issue, place: access }]));
  const places = [...placed.values()];
  const [spenders, json] = await Promise.all([
    findUsersNear(
      forge,
      view.actor,
      places.map(({ place }) => place),
      shown.map(({ time }) => time.userId),
    ),
    showPlaced(forge, view, places),
  ]);
  const issues = new Map(json.map((issue) => [issue.id, issue]));
  return shown.map(({ time, issue }) =>
    trackedTime(time, spenders.get(time.userId) ?? ghostUser, issues.get(issue.id) as IssueJson),
  );
}
