import { notFound } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import {
  type JobBlock,
  type JobTask,
  jobBlockKey,
  jobBlockPrefix,
  numberInRepository,
  type Run,
  type RunJob,
  type RunSource,
  runKey,
  runSourceKey,
  runsPartition,
  taskKey,
} from "../actions.table.ts";

type Reading = Pick<Forge, "table">;

/** The run of this number, or undefined. */
export const findRun = ({ table }: Reading, repositoryId: number, number: number): Promise<Run | undefined> =>
  table.get<Run>(runKey(repositoryId, number));

/** The run of this id. NotFound for one of another repository (semantics §63.2). */
export async function getRun(forge: Reading, repositoryId: number, id: number): Promise<Run> {
  const number = numberInRepository(repositoryId, id);
  const run = number === undefined ? undefined : await findRun(forge, repositoryId, number);
  if (run === undefined) throw notFound(`run does not exist [id: ${id}]`);
  return run;
}

/** What a run was made from. NotFound when it is gone. */
export async function getRunSource(
  { table }: Reading,
  { repositoryId, number, id }: Pick<Run, "repositoryId" | "number" | "id">,
): Promise<RunSource> {
  const source = await table.get<RunSource>(runSourceKey(repositoryId, number));
  if (source === undefined) throw notFound(`run does not exist [id: ${id}]`);
  return source;
}

/** A job and its run as it is now. A job of a former attempt may be in none: then `job` is absent. */
export interface PlacedJob {
  readonly run: Run;
  readonly job?: RunJob;
  /** The attempt that the job was made for. */
  readonly attempt: number;
}

/** The run of the job of this number, or undefined when there is no such job. */
export async function findJobOfNumber(
  { table }: Reading,
  repositoryId: number,
  number: number,
): Promise<PlacedJob | undefined> {
  const { items } = await table.query<JobBlock>({
    pk: runsPartition(repositoryId),
    from: jobBlockKey(repositoryId, number).sk,
    to: `${jobBlockPrefix}~`,
    limit: 1,
  });
  const block = items[0];
  if (block === undefined || block.first > number) return undefined;
  const run = await findRun({ table }, repositoryId, block.runNumber);
  if (run === undefined) return undefined;
  const job = run.jobs.find((one) => one.number === number);
  return { run, attempt: block.attempt, ...(job && { job }) };
}

/** The task of a job, once a runner has taken it. */
export const findTask = (
  { table }: Reading,
  repositoryId: number,
  jobNumber: number,
): Promise<JobTask | undefined> => table.get<JobTask>(taskKey(repositoryId, jobNumber));
