import { nowSeconds } from "../../clock.ts";
import { openCode } from "../../code/open.ts";
import type { Forge } from "../../forge.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { ownerKey } from "../../owner/owner.table.ts";
import type { Owner } from "../../owner/owner.ts";
import type { Repository } from "../../repository/repository.table.ts";
import { equals } from "../../table/condition.ts";
import { put, type Write } from "../../table/write.ts";
import { actionsUser } from "../../user/system-users.ts";
import { isActionsOn } from "../actions-on.ts";
import { startRun } from "../run/start-run.ts";
import { findWorkflow, type WorkflowFile } from "../workflow/find-workflows.ts";
import { nextCronTimes } from "../workflow/read-task.ts";
import { disabledWorkflows } from "./disabled-workflows.ts";
import { type CronSpec, type DueSchedule, nextTimeOf, type Plans, scheduleDueWrites } from "./plans.table.ts";
import { readPlans, settlePlans } from "./plans.ts";

/** The tick comes once a minute: what it runs next lies beyond the next one (semantics §11.2). */
const aheadSeconds = 60;

/**
 * Runs the schedules of a repository that are due (semantics §11.2), each as a run of its own, in the transaction that
 * plans its next: of two at once one makes it.
 */
export async function runSchedules(forge: Forge, due: DueSchedule): Promise<void> {
  const { repositoryId } = due;
  for (;;) {
    const { repository, plans } = await readPlans(forge, repositoryId);
    if (repository === undefined || plans === undefined) break;
    if (!isActionsOn(forge.config, repository) || plans.branch !== repository.defaultBranch) {
      await settlePlans(forge, repositoryId);
      break;
    }
    const now = nowSeconds(forge.clock);
    const spec = plans.specs.find(({ nextAt }) => nextAt <= now);
    if (spec === undefined) break;
    await runSpec(forge, repository, plans, spec);
  }
  await forge.table.removeAll(voidDue(due, await readPlans(forge, repositoryId)));
}

/** The note of this time, unless it is the next one still. */
function voidDue(due: DueSchedule, { plans }: { readonly plans?: Plans }) {
  if (plans !== undefined && nextTimeOf(plans) === due.at) return [];
  const noted = {
    repositoryId: due.repositoryId,
    specs: [{ workflow: "", cron: "", previousAt: 0, nextAt: due.at }],
  };
  return scheduleDueWrites(noted).flatMap((write) => ("put" in write ? [write.put] : []));
}

async function runSpec(forge: Forge, repository: Repository, plans: Plans, spec: CronSpec): Promise<void> {
  const now = nowSeconds(forge.clock);
  const [nextAt] = await nextCronTimes(forge.compute, [spec.cron], now + aheadSeconds);
  const specs = plans.specs.flatMap((one): CronSpec[] => {
    if (one !== spec) return [one];
    return nextAt === undefined ? [] : [{ ...spec, previousAt: spec.nextAt, nextAt }];
  });
  const after: Plans = { ...plans, specs, v: plans.v + 1 };
  const writes: Write[] = [put(after, equals({ v: plans.v })), ...scheduleDueWrites(after)];
  const file = await scheduledFile(forge, repository, plans, spec);
  if (file === undefined) {
    await forge.table.transact(writes);
    return;
  }
  const owner = await forge.table.get<Owner>(ownerKey(repository.ownerId));
  const cause = {
    event: "schedule",
    ref: branchPrefix + plans.branch,
    commitId: plans.commitId ?? "",
    title: plans.title,
    actorId: actionsUser.id,
    actorName: actionsUser.name,
    ownerName: owner?.name ?? "",
    payload: { schedule: spec.cron },
    supersedes: false,
  } as const;
  await startRun(forge, repository, cause, file, { writes });
}

/** The workflow of a cron text; none when it is switched off, or can't be read any more. */
async function scheduledFile(
  forge: Forge,
  { id }: Repository,
  { commitId }: Plans,
  { workflow }: CronSpec,
): Promise<WorkflowFile | undefined> {
  if (commitId === undefined || (await disabledWorkflows(forge, id)).includes(workflow)) return undefined;
  return findWorkflow(forge, await openCode(forge, id), commitId, workflow);
}
