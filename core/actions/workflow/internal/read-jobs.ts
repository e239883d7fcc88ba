import { isDeeper } from "../../../yaml.ts";
import { type Matrix, most, type WorkflowJob, WorkflowMistake } from "../workflow.ts";
import { isMapping, listOf, type Mapping, mapping, shortText } from "./values.ts";

/** The jobs of a file. Each needs jobs that are there, and none needs itself, on whatever way. */
export function readJobs(value: unknown): WorkflowJob[] {
  const entries = Object.entries(mapping(value, "jobs"));
  if (entries.length === 0) throw new WorkflowMistake("there are no jobs");
  if (entries.length > most.jobs) throw new WorkflowMistake(`there are more than ${most.jobs} jobs`);
  const jobs = entries.map(([key, job]) => readJob(key, mapping(job, `job ${key}`)));
  requireOrder(jobs);
  return jobs;
}

function readJob(key: string, job: Mapping): WorkflowJob {
  if (!/^[A-Za-z_][\w-]{0,99}$/.test(key)) {
    throw new WorkflowMistake(
      `${JSON.stringify(key.slice(0, 100))} is no id of a job: letters, digits, _ and - make one`,
    );
  }
  const what = `job ${key}`;
  const strategy = isMapping(job.strategy) ? job.strategy : {};
  const matrix = readMatrix(strategy.matrix, what);
  const parallel = strategy["max-parallel"];
  return {
    key,
    ...(job.name === undefined || job.name === null ? {} : { name: shortText(job.name, `${what}: name`) }),
    needs: [...new Set(listOf(job.needs, `${what}: needs`, most.needs, 100))],
    runsOn: readLabels(job["runs-on"], what),
    hasCondition: job.if !== undefined && job.if !== null,
    ...(matrix && { matrix }),
    ...(typeof parallel === "number" && parallel >= 1 ? { mostAtOnce: Math.floor(parallel) } : {}),
  };
}

/** A label, a list of them, or `{labels}`. */
function readLabels(value: unknown, what: string): string[] {
  const labels = isMapping(value) ? value.labels : value;
  return listOf(labels, `${what}: runs-on`, most.labels, most.labelCharacters * 4);
}

function readMatrix(value: unknown, what: string): Matrix | undefined {
  if (value === undefined || value === null) return undefined;
  if (isDeeper(value, most.matrixLevels)) {
    throw new WorkflowMistake(`${what}: matrix is nested more than ${most.matrixLevels} levels deep`);
  }
  const { include, exclude, ...axes } = mapping(value, `${what}: matrix (expressions can't make one here)`);
  const names = Object.keys(axes);
  if (names.length > most.axes) throw new WorkflowMistake(`${what}: matrix has more than ${most.axes} axes`);
  const lists = names.map((name): [string, unknown[]] => {
    const values = axes[name];
    if (!Array.isArray(values)) throw new WorkflowMistake(`${what}: matrix.${name} has to be a list`);
    return [name, values];
  });
  const combinations = lists.reduce((product, [, values]) => product * values.length, 1);
  const included = combinationsOf(include, `${what}: matrix.include`);
  if (combinations + included.length > most.combinations) {
    throw new WorkflowMistake(`${what}: matrix has more than ${most.combinations} combinations`);
  }
  return {
    axes: Object.fromEntries(lists),
    include: included,
    exclude: combinationsOf(exclude, `${what}: matrix.exclude`),
  };
}

function combinationsOf(value: unknown, what: string): Mapping[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new WorkflowMistake(`${what} has to be a list`);
  if (value.length > most.combinations) {
    throw new WorkflowMistake(`${what} has more than ${most.combinations} entries`);
  }
  return value.map((one) => mapping(one, what));
}

/** Refuses jobs that need others which are not there, and circles: each round takes out those whose needs are out. */
function requireOrder(jobs: readonly WorkflowJob[]): void {
  const keys = new Set(jobs.map(({ key }) => key));
  for (const { key, needs } of jobs) {
    const missing = needs.find((need) => !keys.has(need));
    if (missing !== undefined) throw new WorkflowMistake(`job ${key} needs ${missing}, which is not there`);
  }
  const done = new Set<string>();
  for (let before = -1; done.size > before; ) {
    before = done.size;
    for (const { key, needs } of jobs) if (needs.every((need) => done.has(need))) done.add(key);
  }
  const stuck = jobs.find(({ key }) => !done.has(key));
  if (stuck !== undefined) throw new WorkflowMistake(`job ${stuck.key} needs itself, by way of others`);
}
