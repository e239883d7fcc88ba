import type { Forge } from "#core/forge";
import type { Issue } from "#core/issue/issue.table";
import type { TrackedTime } from "#core/tracked-time/tracked-time.table";
import { ghostUser } from "#core/user/system-users";
import type { User } from "#core/user/user.table";
import { timestamp, type View } from "../../http/answer/view.ts";
import { findUsers, type IssuePlace, presentPlaced } from "../issue/present.ts";
import type { IssueJson } from "../issue/schema.ts";
import type { TrackedTimeJson } from "./schema.ts";

/** A time to be shown. */
interface Shown {
  readonly time: TrackedTime;
  readonly issue: Issue;
  readonly access: IssuePlace;
}

/** A time of a user on an issue. */
export const trackedTime = (
  { id, seconds, createdAt }: Pick<TrackedTime, "id" | "seconds" | "createdAt">,
  user: User,
  issue: IssueJson,
): TrackedTimeJson => ({
  id,
  created: timestamp(createdAt),
  time: seconds,
  user_id: user.id,
  user_name: user.name,
  issue_id: issue.id,
  issue,
});

/** Times with their issues, which may be of several repositories, and with their users. */
export async function presentTimes(
  forge: Forge,
  view: View,
  shown: readonly Shown[],
): Promise<TrackedTimeJson[]> {
  const placed = new Map(shown.map(({ issue, access }) => [issue.id, { issue, place: access }]));
  const places = [...placed.values()];
  const [spenders, json] = await Promise.all([
    findUsers(
      forge,
      view,
      places.map(({ place }) => place),
      shown.map(({ time }) => time.userId),
    ),
    presentPlaced(forge, view, places),
  ]);
  const issues = new Map(json.map((issue) => [issue.id, issue]));
  return shown.map(({ time, issue }) =>
    trackedTime(time, spenders.get(time.userId) ?? ghostUser, issues.get(issue.id) as IssueJson),
  );
}
