import { isRunEvent, type RunEvent } from "../../run/run-events.ts";
import { most, type Trigger, type Workflow, type WorkflowInput, WorkflowMistake } from "../workflow.ts";
import { isMapping, listOf, mapping } from "./values.ts";

/** The names of filters in files, and here. */
const filterNames = {
  types: "types",
  branches: "branches",
  "branches-ignore": "branchesIgnore",
  tags: "tags",
  "tags-ignore": "tagsIgnore",
  paths: "paths",
  "paths-ignore": "pathsIgnore",
} as const satisfies Record<string, keyof Trigger>;

/** What stands below `on`: a name, a list of names, or a mapping with filters. Names that nobody knows never happen. */
export function readTriggers(on: unknown): Pick<Workflow, "triggers" | "crons"> {
  if (on === undefined || on === null)
    throw new WorkflowMistake("on: is missing: nothing starts the workflow");
  const entries: [string, unknown][] = isMapping(on)
    ? Object.entries(on)
    : listOf(on, "on", most.filters, most.nameCharacters).map((name) => [name, null]);
  const triggers: Partial<Record<RunEvent, Trigger>> = {};
  for (const [name, filters] of entries) {
    if (isRunEvent(name)) triggers[name] = name === "schedule" ? {} : readTrigger(name, filters);
  }
  const schedule = entries.find(([name]) => name === "schedule")?.[1];
  return { triggers, crons: schedule === undefined ? [] : readCrons(schedule) };
}

function readTrigger(name: RunEvent, filters: unknown): Trigger {
  if (filters === undefined || filters === null || name === "workflow_dispatch") return {};
  const given = Object.entries(mapping(filters, `on.${name}`));
  const read: Record<string, string[]> = {};
  let isUnknown = false;
  for (const [filter, value] of given) {
    const known = Object.hasOwn(filterNames, filter)
      ? filterNames[filter as keyof typeof filterNames]
      : undefined;
    if (known === undefined) isUnknown = true;
    else read[known] = listOf(value, `on.${name}.${filter}`, most.filters, most.filterCharacters);
  }
  return { ...read, ...(isUnknown ? { isUnknown } : {}) };
}

function readCrons(schedule: unknown): string[] {
  if (schedule === null) return [];
  if (!Array.isArray(schedule)) throw new WorkflowMistake("on.schedule has to be a list");
  if (schedule.length > most.crons) {
    throw new WorkflowMistake(`on.schedule has more than ${most.crons} entries`);
  }
  return schedule.flatMap((entry) => (isMapping(entry) ? listOf(entry.cron, "cron", 1, 200) : []));
}

/** The inputs of `on.workflow_dispatch` (semantics §63.4). */
export function readInputs(on: unknown): Readonly<Record<string, WorkflowInput>> {
  const dispatch = isMapping(on) ? on.workflow_dispatch : undefined;
  const inputs = isMapping(dispatch) ? dispatch.inputs : undefined;
  if (inputs === undefined || inputs === null) return {};
  const entries = Object.entries(mapping(inputs, "on.workflow_dispatch.inputs"));
  if (entries.length > most.inputs) throw new WorkflowMistake(`there are more than ${most.inputs} inputs`);
  return Object.fromEntries(entries.map(([name, given]) => [name, readInput(name, given ?? {})]));
}

function readInput(name: string, value: unknown): WorkflowInput {
  const what = `input ${name}`;
  const given = mapping(value, what);
  const [preset] = listOf(given.default, what, 1, most.filterCharacters * 4);
  const [type = "string"] = listOf(given.type, what, 1, most.nameCharacters);
  return {
    type,
    isRequired: given.required === true,
    ...(preset === undefined ? {} : { default: preset }),
    ...(type === "choice"
      ? { options: listOf(given.options, what, most.filters, most.filterCharacters) }
      : {}),
  };
}
