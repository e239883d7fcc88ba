import { type RunnerLook, runLookKind, runnerLookWrite } from "../actions/watchdog/looks.ts";
import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { type DueAnswer, settleNoted } from "../jobs/due.ts";
import { equals } from "../table/condition.ts";
import { remove, type TableKey, type Write } from "../table/write.ts";
import { type Runner, runnerGuardKey, runnerKey } from "./runner.table.ts";

/** Its job is given up before it is: what is known of a runner may be half a minute old. */
const afterItsJobSeconds = 60;

/**
 * When an ephemeral runner goes unless it speaks (semantics §60.4): with its job a little later than that is given up,
 * and before as late as a job that nobody takes.
 */
function goesAt({ config }: Pick<Forge, "config">, runner: Runner): number {
  const { hasTakenJob, createdAt, seenAt, activeAt } = runner;
  const patience =
    hasTakenJob === true ? config.zombieTaskSeconds + afterItsJobSeconds : config.abandonedJobSeconds;
  return Math.max(createdAt, seenAt, activeAt) + patience;
}

/** Plans the first look at an ephemeral runner, for the transaction that makes it or gives it its job. */
export function runnerLook(forge: Pick<Forge, "config" | "clock">, runner: Runner): Write {
  const { place, id, hasTakenJob } = runner;
  const at = goesAt(forge, { ...runner, seenAt: nowSeconds(forge.clock) });
  return runnerLookWrite({ runner: { place, id }, ...(hasTakenJob && { hasTakenJob }) }, at);
}

/** Takes a look at an ephemeral runner that is due: it goes if it is silent, and otherwise is looked at again. */
export const lookAtRunner = (forge: Forge, key: TableKey): Promise<void> =>
  settleNoted<RunnerLook>(forge, runLookKind, key, (look) => take(forge, look));

async function take(forge: Forge, look: RunnerLook): Promise<DueAnswer> {
  const { place, id } = look.runner;
  const runner = await forge.table.get<Runner>(runnerKey(place, id));
  if (runner === undefined || runner.hasTakenJob !== look.hasTakenJob) return true;
  const at = goesAt(forge, runner);
  if (at > nowSeconds(forge.clock)) return { againAtMs: at * 1000 };
  const { seenAt, activeAt, hasTakenJob, uuid } = runner;
  const { committed } = await forge.table.transact([
    remove(runnerKey(place, id), equals({ seenAt, activeAt, hasTakenJob })),
    remove(runnerGuardKey(uuid)),
  ]);
  if (committed) forge.log.info("runners:silent-runner-removed", { runner: id });
  return committed;
}
