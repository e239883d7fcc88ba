import { plansKey } from "#core/actions/schedule/plans.table";
import { followPush } from "#core/commit-reference/commit-reference";
import { send } from "#core/events/outbox";
import type { Forge } from "#core/forge";
import type { LoggedChange } from "#core/git/refs/ref-log";
import { isGraphDue } from "#core/git/store/commit-graph/extend-graph";
import { graphKey } from "#core/git/store/commit-graph/graph.table";
import { compactRefs } from "#core/git/store/refs/compaction";
import { readPushedRefs } from "#core/git/store/refs/pushed-refs";
import { rootKey } from "#core/git/store/refs/refs.table";
import { readRoot } from "#core/git/store/store";
import { startJob } from "#core/jobs/job";
import { languagesKey } from "#core/language/language.table";
import { recountLanguages } from "#core/language/recount";
import { startPushMirrors } from "#core/push-mirror/start";
import { noteRepositoryActivity } from "#core/repository/listing/index-writes";
import { requestConsolidation } from "#core/repository/maintenance";
import { repositoryKey } from "#core/repository/repository.table";
import { forgeOnceWith, readAhead } from "#core/table/read-ahead";
import { watchByItself } from "#core/watch/watch";
import { type EventOf, eventShapes } from "./event-shapes.ts";
import { followPulls } from "./follow-pulls.ts";
import { followReleases } from "./follow-releases.ts";
import { graphJobKind } from "./job-kinds.ts";
import { notifyHooks } from "./notify-hooks.ts";
import { type MessageWork, usualLeaseSeconds } from "./worker.ts";

/** The work on the repository itself after a push. A failure is left to the next push and keeps no hook waiting. */
async function maintain(forge: Forge, repositoryId: number, newView: () => Forge): Promise<void> {
  const tasks = { compactRefs, requestGraph, requestConsolidation, recountLanguages };
  for (const [name, task] of Object.entries(tasks)) {
    try {
      await task(newView(), repositoryId);
    } catch (error) {
      forge.log.error("push:maintenance-failed", { repositoryId, task: name, error });
    }
  }
}

/**
 * Reads in one request the items that all work after a push begins with. Each call of the answer gives a view that
 * serves these items once; later reads go to the table.
 */
async function viewsForFollowers(forge: Forge, repositoryId: number): Promise<() => Forge> {
  const keys = [repositoryKey, rootKey, graphKey, languagesKey, plansKey].map((keyOf) => keyOf(repositoryId));
  const ahead = await readAhead(forge.table, keys);
  return () => forgeOnceWith(forge, ahead, keys);
}

/**
 * Lists learn the repository's new size, and that something happened in it; hooks are notified, feeds told, issues that
 * the commits name, pull requests and releases follow. Whether that succeeds or not, a long log is compacted, the commit
 * graph extended, many packs are consolidated, and languages counted.
 */
export const pushWork: MessageWork<EventOf<"push">> = {
  shape: eventShapes.push,
  leaseSeconds: usualLeaseSeconds,
  async work(forge, event) {
    const { repositoryId, actorId } = event;
    await noteRepositoryActivity(forge, repositoryId);
    await watchByItself(forge, repositoryId, actorId);
    const newView = await viewsForFollowers(forge, repositoryId);
    const reading = readPushedRefs(forge.table, repositoryId, event.version);
    const settled = await Promise.allSettled([
      notifyHooks(newView(), event),
      reading.then((changes) => followPush(newView(), { ...event, changes })),
      reading.then((changes) => followPulls(newView(), event, changes)),
      reading.then((changes) => followReleases(newView(), repositoryId, changes)),
      startPushMirrors(newView(), repositoryId),
      reading.then((changes) => notePushIn(newView(), event, changes)),
      reading.then((changes) => followPushOfWorkflowsIn(newView(), event, changes)),
      maintain(forge, repositoryId, newView),
    ]);
    for (const one of settled) if (one.status === "rejected") throw one.reason;
    return undefined;
  },
};

async function notePushIn(
  forge: Forge,
  event: EventOf<"push">,
  changes: readonly LoggedChange[],
): Promise<void> {
  const { notePush } = await import("./note-push.ts");
  await notePush(forge, event, changes);
}

async function followPushOfWorkflowsIn(
  forge: Forge,
  event: EventOf<"push">,
  changes: readonly LoggedChange[],
): Promise<void> {
  const { followPushOfWorkflows } = await import("./workflows/start-workflows.ts");
  await followPushOfWorkflows(forge, event, changes);
}

/** Asks for an extension of the commit graph when enough has come. One waiting job is enough. */
async function requestGraph(forge: Forge, repositoryId: number): Promise<void> {
  const root = await readRoot(forge, repositoryId);
  if (root === undefined || !(await isGraphDue(forge, root))) return;
  const job = startJob(forge, graphJobKind, { repositoryId }, { id: `${graphJobKind}-${repositoryId}` });
  if (await forge.table.write(job.write)) await send(forge, [job.message]);
}
