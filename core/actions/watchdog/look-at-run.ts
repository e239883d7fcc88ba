import type { Forge } from "../../forge.ts";
import { type DueAnswer, settleNoted } from "../../jobs/due.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import type { TableKey } from "../../table/write.ts";
import { keepAttempt } from "../attempt/keep-attempt.ts";
import { findRun } from "../run/run.ts";
import { type RunLook, runLookKind } from "./looks.ts";
import { watchRun } from "./watch-run.ts";

/** Takes a look at a run that is due; it may be taken twice, at once too. The key is that of the due item. */
export const lookAtRun = (forge: Forge, key: TableKey): Promise<void> =>
  settleNoted<RunLook>(forge, runLookKind, key, (look) => take(forge, look));

async function take(forge: Forge, { repositoryId, runNumber, ended }: RunLook): Promise<DueAnswer> {
  const [run, repository] = await Promise.all([
    findRun(forge, repositoryId, runNumber),
    forge.table.get<Repository>(repositoryKey(repositoryId)),
  ]);
  // The job that removes a repository removes its runs and their logs.
  if (run === undefined || repository?.state !== "live") return true;
  return ended === undefined ? watchRun(forge, run) : keepAttempt(forge, run, ended);
}
