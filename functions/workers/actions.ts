import { z } from "zod";
import { runChangedKind } from "#core/actions/run/change-run";
import { scheduleMessageKind } from "#core/actions/schedule/due-schedules";
import { plansMessageKind } from "#core/actions/schedule/settle-message";
import { runLookMessageKind, runnerLookMessageKind } from "#core/actions/watchdog/looks";
import type { Owner } from "#core/owner/owner";
import { ownerKey } from "#core/owner/owner.table";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { linkTo } from "../http/answer/links.ts";
import { type MessageWork, usualLeaseSeconds } from "./worker.ts";

// Few messages are about workflows: the code that works on them is loaded with the first.

/** A run has changed: statuses of its commit follow, and runs that waited for it. May be repeated. */
const changedWork: MessageWork<{ readonly repositoryId: number; readonly runNumber: number }> = {
  shape: z.object({ repositoryId: z.int(), runNumber: z.int() }),
  async work(forge, { repositoryId, runNumber }) {
    const { findRun } = await import("#core/actions/run/run");
    const run = await findRun(forge, repositoryId, runNumber);
    const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
    if (run === undefined || repository?.state !== "live") return undefined;
    const { reportRun } = await import("#core/actions/run/report-run");
    const owner = await forge.table.get<Owner>(ownerKey(repository.ownerId));
    const runUrl = linkTo(forge.config, owner?.name ?? "", repository.name, "actions", "runs", run.number);
    await reportRun(forge, run, runUrl);
    if (run.group === undefined) return undefined;
    const { settleGroup } = await import("#core/actions/run/run-group");
    await settleGroup(forge, repositoryId, run.group);
    return undefined;
  },
};

/** Schedules are due. May be repeated: each is run in the transaction that plans its next. */
const scheduleWork: MessageWork<{ readonly repositoryId: number; readonly at: number }> = {
  shape: z.object({ repositoryId: z.int(), at: z.int() }),
  leaseSeconds: usualLeaseSeconds,
  async work(forge, due) {
    const { runSchedules } = await import("#core/actions/schedule/schedule");
    await runSchedules(forge, due);
    return undefined;
  },
};

/** A repository got or lost Actions, or another default branch. May be repeated. */
const plansWork: MessageWork<{ readonly repositoryId: number; readonly rebuilds: boolean }> = {
  shape: z.object({ repositoryId: z.int(), rebuilds: z.boolean() }),
  async work(forge, { repositoryId, rebuilds }) {
    const { rebuildPlans, settlePlans } = await import("#core/actions/schedule/plans");
    await settlePlans(forge, repositoryId);
    if (!rebuilds) return undefined;
    await rebuildPlans(forge, repositoryId);
    const { returnAllToQueues } = await import("#core/actions/queue/return-to-queues");
    await returnAllToQueues(forge, repositoryId);
    return undefined;
  },
};

/** A look at a run is due. May be repeated: the due item, by its key, is there until it was taken. */
const lookWork: MessageWork<{ readonly pk: string; readonly sk: string }> = {
  shape: z.object({ pk: z.string(), sk: z.string() }),
  async work(forge, { pk, sk }) {
    const { lookAtRun } = await import("#core/actions/watchdog/look-at-run");
    await lookAtRun(forge, { pk, sk });
    return undefined;
  },
};

/** The same for a look at an ephemeral runner. */
const runnerLookWork: MessageWork<{ readonly pk: string; readonly sk: string }> = {
  shape: z.object({ pk: z.string(), sk: z.string() }),
  async work(forge, { pk, sk }) {
    const { lookAtRunner } = await import("#core/runner/look-at-runner");
    await lookAtRunner(forge, { pk, sk });
    return undefined;
  },
};

/** The messages about runs, runners and plans, by kind. */
export const actionsWork = {
  [runChangedKind]: changedWork,
  [scheduleMessageKind]: scheduleWork,
  [plansMessageKind]: plansWork,
  [runLookMessageKind]: lookWork,
  [runnerLookMessageKind]: runnerLookWork,
};
