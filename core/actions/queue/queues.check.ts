import type { Forge } from "../../forge.ts";
import type { Checks } from "../../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../../lifecycle/check/finding.ts";
import type { TableFacts } from "../../lifecycle/check/table-facts.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import { absent, equals } from "../../table/condition.ts";
import { check, type Item, keyText, remove } from "../../table/write.ts";
import { type Run, runKey } from "../actions.table.ts";
import type { WaitingRun } from "./queue.table.ts";
import { waitingRows } from "./waiting.ts";

const queueKinds = ["G#<label>", "O#<owner>#<label>", "R#<repository>#<label>"].map(
  (queue) => `WAIT#${queue} / <time>#<run>`,
);

/** Runs are large: so many are read at once. */
const runsAtOnce = 50;

/** Invariant 49: nothing stands in a queue but runs whose jobs wait there: the others keep runners from what is behind. */
async function checkRows(forge: Forge, facts: TableFacts): Promise<Finding[]> {
  const rows = queueKinds.flatMap((kind) => facts.all<WaitingRun>(kind));
  const findings: Finding[] = [];
  for (let at = 0; at < rows.length; at += runsAtOnce)
    findings.push(...(await strayRows(forge, rows.slice(at, at + runsAtOnce))));
  return findings;
}

async function strayRows({ table }: Forge, rows: readonly WaitingRun[]): Promise<Finding[]> {
  const found = await table.getAll<Item>([
    ...rows.map(({ repositoryId, runNumber }) => runKey(repositoryId, runNumber)),
    ...rows.map(({ repositoryId }) => repositoryKey(repositoryId)),
  ]);
  return rows.flatMap((row) => {
    const { repositoryId, runNumber } = row;
    const repository = found.get(keyText(repositoryKey(repositoryId))) as Repository | undefined;
    // The job that removes a repository takes its runs out of the queues.
    if (repository !== undefined && repository.state !== "live") return [];
    const run = found.get(keyText(runKey(repositoryId, runNumber))) as Run | undefined;
    return run !== undefined && isOf(run, row) ? [] : [strayRow(row, run)];
  });
}

const isOf = (run: Run, row: WaitingRun): boolean =>
  waitingRows(run).some((one) => keyText(one) === keyText(row));

function strayRow(row: WaitingRun, run: Run | undefined): Finding {
  const { repositoryId, runNumber } = row;
  const why = run === undefined ? "is not there" : "does not wait here";
  const stays = check(runKey(repositoryId, runNumber), run === undefined ? absent : equals({ v: run.v }));
  return {
    invariant: 49,
    key: shownKey(row),
    problem: `is the place of run ${runNumber} of repository ${repositoryId}, which ${why}`,
    remedy: "takes it out of the queue",
    repair: mending([stays], remove({ pk: row.pk, sk: row.sk }, asRead(row))),
  };
}

export const queueChecks = { reads: queueKinds, table: [checkRows] } satisfies Checks;
