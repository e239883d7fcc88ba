import { badRequest } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { put } from "../../table/write.ts";
import { type ApprovedUser, approvedUserKey, type Run } from "../actions.table.ts";
import { settleJobs } from "../job/job-states.ts";
import { changeRun } from "./change-run.ts";

/** Whether code of this user was allowed to run here before: it needs no approval any more. */
export const mayRunUnapproved = async (
  { table }: Pick<Forge, "table">,
  repositoryId: number,
  userId: number,
): Promise<boolean> => (await table.get(approvedUserKey(repositoryId, userId))) !== undefined;

/** Lets a run start that waits for approval, and later ones of the same people without. BadRequest when it waits for none. */
export async function approveRun(
  forge: Forge,
  { repositoryId, number, actorId, unapproved = [actorId] }: Run,
): Promise<Run | undefined> {
  const approved = unapproved
    .filter((id) => id > 0)
    .map((id): ApprovedUser => ({ ...approvedUserKey(repositoryId, id), _v: 1 }));
  return changeRun(forge, repositoryId, number, ({ needsApproval, isQueued, jobs }) => {
    if (needsApproval !== true) throw badRequest("the run waits for no approval");
    return {
      set: isQueued === true ? {} : { jobs: settleJobs(jobs) },
      unset: ["needsApproval"],
      writes: approved.map((one) => put(one)),
    };
  });
}
