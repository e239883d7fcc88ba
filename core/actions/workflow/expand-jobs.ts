import { labelSetsOf, mostLabelSets } from "../queue/waiting.ts";
import type { NewJob } from "../run/create-run.ts";
import { fillText, type Scope } from "./expression.ts";
import { type Matrix, most, type Workflow, type WorkflowJob, WorkflowMistake } from "./workflow.ts";

/** The jobs of a run of a workflow: of a matrix, one for each combination. WorkflowMistake over a bound. */
export function expandJobs({ jobs }: Pick<Workflow, "jobs">, scope: Scope): NewJob[] {
  const made: NewJob[] = [];
  for (const job of jobs) {
    const combinations = job.matrix === undefined ? [undefined] : combine(job.matrix);
    if (made.length + combinations.length > most.jobs) {
      throw new WorkflowMistake(`the workflow makes more than ${most.jobs} jobs`);
    }
    for (const matrix of combinations) made.push(newJob(job, matrix, scope));
  }
  if (made.length === 0) throw new WorkflowMistake("the matrix makes no jobs");
  if (labelSetsOf(made).length > mostLabelSets) {
    throw new WorkflowMistake(`the jobs want more than ${mostLabelSets} different sets of labels`);
  }
  if (Buffer.byteLength(JSON.stringify(made)) > most.jobsBytes) {
    throw new WorkflowMistake(`the jobs say more than ${most.jobsBytes} bytes, with their matrices`);
  }
  return made;
}

type Combination = Readonly<Record<string, unknown>>;

function newJob(job: WorkflowJob, matrix: Combination | undefined, scope: Scope): NewJob {
  const own: Scope = { ...scope, matrix: matrix ?? {} };
  const { key, needs, hasCondition, mostAtOnce } = job;
  return {
    key,
    name: nameOf(job, matrix, own).slice(0, most.nameCharacters),
    ...(matrix && { matrix }),
    needs,
    runsOn: [
      ...new Set(job.runsOn.map((label) => fillText(label, own).slice(0, most.labelCharacters))),
    ].filter((label) => label !== ""),
    ...(hasCondition ? { hasCondition } : {}),
    ...(mostAtOnce === undefined ? {} : { mostAtOnce }),
  };
}

/** As people know it: of a matrix with its values, unless the name says them itself. */
function nameOf({ key, name }: WorkflowJob, matrix: Combination | undefined, scope: Scope): string {
  if (name?.includes("${{")) return fillText(name, scope);
  const plain = name ?? key;
  if (matrix === undefined || Object.keys(matrix).length === 0) return plain;
  const values = Object.values(matrix).map((value) =>
    typeof value === "object" ? JSON.stringify(value) : String(value),
  );
  return `${plain} (${values.join(", ")})`;
}

/** The combinations of a matrix: all of its axes, without the excluded ones, with what is included. */
export function combine({ axes, include, exclude }: Matrix): Combination[] {
  const names = Object.keys(axes);
  let all: Combination[] = names.length === 0 ? [] : [{}];
  for (const name of names) {
    all = all.flatMap((one) => (axes[name] ?? []).map((value): Combination => ({ ...one, [name]: value })));
  }
  const kept = all.filter((one) => !exclude.some((out) => Object.keys(out).length > 0 && agrees(out, one)));
  const extended: Record<string, unknown>[] = kept.map((one) => ({ ...one }));
  const added: Combination[] = [];
  for (const extra of include) {
    const ofAxes = Object.fromEntries(Object.entries(extra).filter(([name]) => names.includes(name)));
    const fitting = kept.flatMap((one, at) => (agrees(ofAxes, one) ? [at] : []));
    for (const at of fitting) Object.assign(extended[at] ?? {}, extra);
    if (fitting.length === 0) added.push(extra);
  }
  return [...extended, ...added];
}

const agrees = (part: Combination, whole: Combination): boolean =>
  Object.entries(part).every(([name, value]) => JSON.stringify(whole[name]) === JSON.stringify(value));
