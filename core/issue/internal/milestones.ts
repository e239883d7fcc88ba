import { unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { findMilestonesById, milestoneCountWrite } from "../../milestone/milestone.ts";
import type { Write } from "../../table/write.ts";
import type { Issue } from "../issue.table.ts";

/**
 * The effect of an issue's change on milestones (B-03), for its transaction. `before` is absent for a new issue,
 * `after` for a removed one. A removed milestone is skipped; 422 when the issue is only now given to it.
 */
export async function milestoneWrites(
  forge: Forge,
  before: Issue | undefined,
  after: Issue | undefined,
  at: number,
): Promise<Write[]> {
  const sides = [before, after].filter((side) => side !== undefined && side.milestoneId !== 0) as Issue[];
  const isSame = before?.milestoneId === after?.milestoneId && before?.isClosed === after?.isClosed;
  if (sides.length === 0 || isSame) return [];
  const ids = [...new Set(sides.map(({ milestoneId }) => milestoneId))];
  const found = await findMilestonesById(forge, (sides[0] as Issue).repositoryId, ids);
  const given = after?.milestoneId ?? 0;
  if (given !== 0 && given !== before?.milestoneId && !found.has(given)) {
    throw unprocessable(`milestone does not exist [id: ${given}]`);
  }
  return ids.flatMap((id) => {
    const milestone = found.get(id);
    if (milestone === undefined) return [];
    const count = (isClosed: boolean) => counted(after, id, isClosed) - counted(before, id, isClosed);
    const by = { openIssues: count(false), closedIssues: count(true) };
    return [milestoneCountWrite(milestone, by, at)];
  });
}

const counted = (issue: Issue | undefined, milestoneId: number, isClosed: boolean): number =>
  issue?.milestoneId === milestoneId && issue.isClosed === isClosed ? 1 : 0;
