import { describe, it } from "vitest";
import type { RepositoryAccess } from "#core/access/repository-access";
import { type Run, runsPartition, taskKey } from "#core/actions/actions.table";
import { appendLogPiece } from "#core/actions/log/log";
import type { LogPiece } from "#core/actions/log/log.table";
import { claimJob } from "#core/actions/queue/claim-job";
import { waitingRows } from "#core/actions/queue/waiting";
import { remove } from "#core/table/write";
import { job, makeRun } from "#tests/runners/make";
import { type CheckedWorld, checkedPlace, findAndMend, together, type Violation } from "./make.ts";

let waiting: Run;
let taken: { readonly run: Run; readonly number: number };

/** A repository with a run that waits, and one whose job runs and has told its log. */
async function begin(world: CheckedWorld): Promise<RepositoryAccess> {
  const { forge, test } = world;
  const made = await world.makeRepository();
  const { id, ownerId } = made.repository;
  const make = () => makeRun({ forge }, { id, ownerId }, [job("a")], "on: push\n");
  await make();
  const level = { kind: "repository", repositoryId: id } as const;
  const claimed = await claimJob(forge, { runnerId: 1, level, labels: ["linux"] });
  if (claimed === undefined) throw new Error("no job waits");
  taken = { run: claimed.run, number: claimed.job.number };
  for (const [first, line] of ["one", "two"].entries()) {
    const given = { first, lines: [line], isLast: first === 1 };
    await appendLogPiece(forge, { repositoryId: id, jobNumber: taken.number }, given);
  }
  waiting = await make();
  test.clock.advance(120_000);
  return made;
}
const place = checkedPlace(begin);
const { id } = place;
const firstPiece = async () => (await place.world.first(runsPartition(id()), "L#")) as unknown as LogPiece;

const ofActions: Violation[] = [
  {
    what: "a run that waits in no queue",
    invariants: [49],
    plant: async () => {
      for (const { pk, sk } of waitingRows(waiting)) await place.world.write(remove({ pk, sk }));
    },
  },
  {
    what: "a job that runs without a task",
    invariants: [50],
    isLeft: true,
    plant: () => place.world.write(remove(taskKey(id(), taken.number))),
  },
  {
    what: "a task of a run that is gone",
    invariants: [50],
    isLeft: true,
    plant: () => place.world.set(taskKey(id(), taken.number), { runNumber: 99 }),
  },
  {
    what: "a log with a gap",
    invariants: [50],
    isLeft: true,
    plant: async () => {
      const { pk, sk } = await firstPiece();
      await place.world.write(remove({ pk, sk }));
    },
  },
  {
    what: "a log without an object",
    invariants: [50],
    isLeft: true,
    plant: async () => place.world.forge.blobs.remove([(await firstPiece()).objectKey]),
  },
  {
    what: "a joined log without its object",
    invariants: [50],
    isLeft: true,
    plant: () => place.world.set(taskKey(id(), taken.number), { log: { objectKey: "gone", at: 1 } }),
  },
];

describe("check-data on Actions (invariants 49 and 50)", () => {
  it.each(together(ofActions))("finds %s", async (_what, violation) => {
    if (violation.isLeft) await place.renew();
    await findAndMend(place.world.forge, id(), violation);
  });
});
