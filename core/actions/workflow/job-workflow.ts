import { readYaml } from "../../yaml.ts";
import type { RunJob } from "../actions.table.ts";
import { isMapping, type Mapping } from "./internal/values.ts";

/** A job of a run, and the file that it was made from. */
export interface JobSource {
  readonly text: string;
  readonly job: Pick<RunJob, "key" | "name" | "matrix" | "runsOn">;
}

/** A workflow of one job as a runner gets it, and the names of its steps. Or what is wrong with the file. */
export type JobWorkflow =
  | { readonly payload: string; readonly steps: readonly string[] }
  | { readonly problem: string };

/** The runner gets as many steps as it likes; so many are shown. */
const mostShownSteps = 200;
const longestStepName = 255;

/**
 * The workflow reduced to one job: its place in the matrix is fixed, its labels are filled in, and it needs no other
 * (semantics §61). It is JSON, which is YAML. It may take long for a hostile text.
 */
export function jobWorkflow({ text, job }: JobSource): JobWorkflow {
  const read = readYaml(text);
  if ("problem" in read) return read;
  const file = isMapping(read.value) ? read.value : {};
  const jobs = isMapping(file.jobs) ? file.jobs : {};
  const own = jobs[job.key];
  if (!isMapping(own)) return { problem: `the workflow has no job ${job.key}` };
  const { needs: _, strategy, ...rest } = own;
  const reduced = {
    ...file,
    jobs: {
      [job.key]: {
        ...rest,
        name: job.name,
        "runs-on": job.runsOn,
        ...(job.matrix === undefined ? {} : { strategy: strategyOf(strategy, job.matrix) }),
      },
    },
  };
  const steps = Array.isArray(own.steps) ? own.steps.slice(0, mostShownSteps).map(stepName) : [];
  return { payload: JSON.stringify(reduced), steps };
}

/** Each axis with the one value of this job. */
function strategyOf(strategy: unknown, matrix: Mapping): Mapping {
  const fixed = Object.entries(matrix).map(([axis, value]) => [axis, [value]]);
  return { ...(isMapping(strategy) ? strategy : {}), matrix: Object.fromEntries(fixed) };
}

function stepName(step: unknown): string {
  const { name, uses, run } = isMapping(step) ? step : {};
  const shown =
    [name, uses].find((one) => typeof one === "string") ??
    (typeof run === "string" ? `Run ${run.trim().split("\n", 1)[0]}` : "");
  return String(shown).slice(0, longestStepName);
}
