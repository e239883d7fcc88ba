import { readYaml } from "../../yaml.ts";
import { readJobs } from "./internal/read-jobs.ts";
import { readInputs, readTriggers } from "./internal/read-triggers.ts";
import { type Mapping, mapping, shortText } from "./internal/values.ts";
import { type Concurrency, WorkflowMistake, type WorkflowReading } from "./workflow.ts";

/** Reads the text of a workflow (semantics §64). It may take long for a hostile text: `readWorkflow` bounds it. */
export function readWorkflowText(text: string): WorkflowReading {
  const read = readYaml(text);
  if ("problem" in read) return { problem: read.problem };
  try {
    const file = mapping(read.value, "the file");
    // YAML 1.1 takes the word for true; so did some who wrote the file.
    const on = file.on ?? file.true;
    const { triggers, crons } = readTriggers(on);
    const runName =
      file["run-name"] === undefined ? {} : { runName: shortText(file["run-name"], "run-name") };
    return {
      workflow: {
        name: file.name === undefined || file.name === null ? "" : shortText(file.name, "name"),
        ...runName,
        ...{ triggers, crons },
        inputs: readInputs(on),
        concurrency: readConcurrency(file.concurrency),
        jobs: readJobs(file.jobs),
      },
    };
  } catch (error) {
    if (error instanceof WorkflowMistake) return { problem: error.message };
    throw error;
  }
}

function readConcurrency(value: unknown): Concurrency {
  if (value === undefined || value === null) return {};
  if (typeof value === "string") return { group: shortText(value, "concurrency") };
  const given: Mapping = mapping(value, "concurrency");
  const cancels = given["cancel-in-progress"];
  return {
    ...(given.group === undefined ? {} : { group: shortText(given.group, "concurrency.group") }),
    ...(typeof cancels === "boolean" ? { cancelsInProgress: cancels } : {}),
    ...(typeof cancels === "string"
      ? { cancelsWhen: shortText(cancels, "concurrency.cancel-in-progress") }
      : {}),
  };
}
