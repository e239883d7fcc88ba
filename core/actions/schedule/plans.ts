import { nowSeconds } from "../../clock.ts";
import { type Code, findCommit, openCode } from "../../code/open.ts";
import { attempts } from "../../concurrency/attempts.ts";
import { defined } from "../../defined.ts";
import { isForgeError, unavailable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { rootKey } from "../../git/store/refs/refs.table.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import { absent, equals } from "../../table/condition.ts";
import { check, keyText, put, remove } from "../../table/write.ts";
import { isActionsOn } from "../actions-on.ts";
import { cancelUnfinished } from "../run/cancel-unfinished.ts";
import { findWorkflows, type WorkflowFile } from "../workflow/find-workflows.ts";
import { firstLineOf } from "../workflow/first-line.ts";
import { nextCronTimes } from "../workflow/read-task.ts";
import { type CronSpec, type Plans, plansKey, scheduleDueWrites } from "./plans.table.ts";

/** A repository has no more cron texts than this: the others are left out. */
const mostSpecs = 100;

/** A repository as it is, and its plans. */
export async function readPlans(
  { table }: Pick<Forge, "table">,
  repositoryId: number,
): Promise<{ readonly repository?: Repository; readonly plans?: Plans }> {
  const keys = [repositoryKey(repositoryId), plansKey(repositoryId)] as const;
  const found = await table.getAll(keys);
  const [repository, plans] = keys.map((key) => found.get(keyText(key)));
  return defined({ repository: repository as Repository | undefined, plans: plans as Plans | undefined });
}

/** Items that the caller has read already: the first attempt uses them. */
export interface KnownPlans {
  readonly repository: Repository;
  readonly plans: Plans | undefined;
  readonly code: Code;
}

/**
 * Makes the plans anew from the head of the default branch: after a push to it, and once Actions are on again
 * (semantics §11.1). May be repeated, in any order: it lands as long as repository and refs are as they were read.
 */
export async function rebuildPlans(forge: Forge, repositoryId: number, known?: KnownPlans): Promise<void> {
  for await (const lost of attempts()) {
    const { repository, plans, code } = (lost === 0 && known) || (await readAnew(forge, repositoryId));
    if (repository === undefined || code === undefined || !isActionsOn(forge.config, repository)) {
      return settlePlans(forge, repositoryId);
    }
    const built = await buildPlans(forge, repository, plans, code);
    if (built === undefined) return;
    const { committed } = await forge.table.transact([
      // A push, and a change of the repository (Actions off, archived, moved), make this void.
      check(repositoryKey(repositoryId), equals({ v: repository.v })),
      check(rootKey(repositoryId), equals({ e: code.repository.root.e })),
      put(built, plans === undefined ? absent : equals({ v: plans.v })),
      ...scheduleDueWrites(built),
    ]);
    if (!committed) continue;
    if (plans !== undefined && plans.branch !== built.branch)
      await cancelScheduled(forge, repositoryId, built.branch);
    return;
  }
  throw unavailable("the repository is too busy for its schedules to be noted");
}

async function readAnew(forge: Forge, repositoryId: number) {
  const code = await openCode(forge, repositoryId).catch((error: unknown) => {
    if (isForgeError(error, "not-found")) return undefined;
    throw error;
  });
  return { ...(await readPlans(forge, repositoryId)), code };
}

/** The plans of the default branch's head; undefined when they are built already, or there are and were none. */
async function buildPlans(
  forge: Forge,
  { id, defaultBranch }: Repository,
  known: Plans | undefined,
  code: Code,
): Promise<Plans | undefined> {
  const head = await findCommit(code, undefined);
  if (known?.branch === defaultBranch && known.commitId !== undefined && known.commitId === head?.id)
    return undefined;
  const files = head === undefined ? [] : await findWorkflows(forge, code, head.id);
  if (known === undefined && files.length === 0) return undefined;
  return {
    ...plansKey(id),
    repositoryId: id,
    branch: defaultBranch,
    ...defined({ commitId: head?.id }),
    title: head === undefined ? "" : await firstLineOf(code, head.id),
    specs: await specsOf(forge, files),
    events: [...new Set(files.flatMap(eventsOf))],
    v: (known?.v ?? 0) + 1,
    _v: 1,
  };
}

const eventsOf = ({ reading }: WorkflowFile) =>
  "workflow" in reading
    ? (Object.keys(reading.workflow.triggers) as (keyof typeof reading.workflow.triggers)[])
    : [];

/** The cron texts of files with their next times; those that can't be read, or are never due, are left out. */
async function specsOf(forge: Forge, files: readonly WorkflowFile[]): Promise<CronSpec[]> {
  const all = files
    .flatMap(({ name, reading }) =>
      "workflow" in reading ? reading.workflow.crons.map((cron) => ({ workflow: name, cron })) : [],
    )
    .slice(0, mostSpecs);
  const crons = all.map(({ cron }) => cron);
  const times = await nextCronTimes(forge.compute, crons, nowSeconds(forge.clock));
  return all.flatMap((spec, at) => {
    const nextAt = times[at];
    return nextAt === undefined ? [] : [{ ...spec, previousAt: 0, nextAt }];
  });
}

/**
 * Takes plans away that may be no more, and cancels what they started (B-10, semantics §11.3): all when the repository
 * runs no workflows now, and those of another branch than the default one. May be repeated.
 */
export async function settlePlans(forge: Forge, repositoryId: number): Promise<void> {
  for await (const _attempt of attempts()) {
    const { repository, plans } = await readPlans(forge, repositoryId);
    if (repository?.state !== "live") return; // what removes the repository removes them
    const isOn = isActionsOn(forge.config, repository);
    const { defaultBranch } = repository;
    if (plans === undefined || (isOn && plans.branch === defaultBranch)) {
      if (!isOn) await cancelScheduled(forge, repositoryId);
      return;
    }
    const isAsRead = equals({ v: plans.v });
    const { events: _, commitId: __, ...kept } = plans;
    const emptied: Plans = { ...kept, branch: defaultBranch, specs: [], v: plans.v + 1 };
    const after = isOn ? put(emptied, isAsRead) : remove(plansKey(repositoryId), isAsRead);
    if (!(await forge.table.write(after))) continue;
    return cancelScheduled(forge, repositoryId, isOn ? defaultBranch : undefined);
  }
  throw unavailable("the repository is too busy for its schedules to be removed");
}

/** Cancels scheduled runs that are not over, but those of a branch (semantics §11.3). */
const cancelScheduled = (forge: Forge, repositoryId: number, keptBranch?: string): Promise<void> =>
  cancelUnfinished(
    forge,
    repositoryId,
    { events: ["schedule"] },
    ({ ref }) => keptBranch === undefined || ref !== branchPrefix + keptBranch,
  );

/** After a transfer: the plans go, until somebody pushes to the default branch (semantics §24.6). */
export async function removePlans({ table, ...forge }: Forge, repositoryId: number): Promise<void> {
  await table.write(remove(plansKey(repositoryId)));
  await cancelScheduled({ table, ...forge }, repositoryId);
}
