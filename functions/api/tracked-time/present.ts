import type { TrackedTime } from "#core/tracked-time/tracked-time.table";
import type { User } from "#core/user/user.table";
import { timestamp } from "../../http/timestamps.ts";
import type { IssueJson } from "../issue/schema.ts";
import type { TrackedTimeJson } from "./schema.ts";

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
