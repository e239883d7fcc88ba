import type { Actor } from "../../actor.ts";
import { type Code, findCommit, openCode } from "../../code/open.ts";
import { badRequest, forbidden, notFound, unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { branchPrefix, tagPrefix } from "../../git/refs/ref-name.ts";
import type { Repository } from "../../repository/repository.table.ts";
import type { Run } from "../actions.table.ts";
import { disabledWorkflows } from "../schedule/disabled-workflows.ts";
import { findWorkflow } from "../workflow/find-workflows.ts";
import type { Workflow, WorkflowInput } from "../workflow/workflow.ts";
import { startRun } from "./start-run.ts";

/** What a caller asks of a workflow. */
export interface Dispatch {
  readonly workflow: string;
  readonly ref: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/** The most inputs of a dispatch. */
const mostInputs = 10;

/**
 * Runs a workflow because somebody asks (semantics §63.4). `payloadOf` makes the payload from the inputs and the full
 * ref. BadRequest without a ref and for wrong inputs; NotFound for an unknown ref or workflow; Forbidden while the
 * workflow is switched off; 422 when it can't be read, or is not to be asked for.
 */
export async function dispatchWorkflow(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  asked: Dispatch & {
    readonly ownerName: string;
    readonly payloadOf: (inputs: object, ref: string, path: string) => object;
  },
): Promise<Run> {
  const code = await openCode(forge, repository.id);
  const { ref, commitId } = await refOf(code, asked.ref);
  const file = await findWorkflow(forge, code, commitId, asked.workflow);
  if (file === undefined)
    throw notFound(`there is no such workflow at this ref [workflow: ${asked.workflow}]`);
  if ((await disabledWorkflows(forge, repository.id)).includes(file.name)) {
    throw forbidden("the workflow is switched off");
  }
  if ("problem" in file.reading) throw unprocessable(`the workflow can't be read: ${file.reading.problem}`);
  const { workflow } = file.reading;
  if (workflow.triggers.workflow_dispatch === undefined) {
    throw unprocessable("the workflow has no workflow_dispatch trigger");
  }
  const inputs = inputsOf(workflow, asked.inputs);
  const run = await startRun(
    forge,
    repository,
    {
      ...{ event: "workflow_dispatch", ref, commitId, inputs, supersedes: false },
      title: workflow.name || file.path,
      ...{ actorId: actor.user.id, actorName: actor.user.name, ownerName: asked.ownerName },
      payload: asked.payloadOf(inputs, ref, file.path),
    },
    file,
  );
  if (run === undefined) throw notFound("the repository runs no workflows any more");
  return run;
}

/** A full name, one without `refs/`, a tag, a branch, or a commit (semantics §63.4). */
async function refOf(
  code: Code,
  asked: string,
): Promise<{ readonly ref: string; readonly commitId: ObjectId }> {
  if (asked === "") throw badRequest("ref is missing: name a branch, a tag or a commit");
  const names = [asked, `refs/${asked}`, tagPrefix + asked, branchPrefix + asked];
  const ref = names.find((name) => name.startsWith("refs/") && code.repository.refs.find(name) !== undefined);
  const commit = await findCommit(code, ref ?? asked);
  if (commit === undefined) throw notFound(`there is no such branch, tag or commit [ref: ${asked}]`);
  return { ref: ref ?? commit.id, commitId: commit.id };
}

/** The inputs as the workflow declares them; others are not taken. */
function inputsOf(
  { inputs }: Workflow,
  given: Dispatch["inputs"],
): Readonly<Record<string, string | boolean>> {
  if (Object.keys(given).length > mostInputs)
    throw badRequest(`a dispatch takes at most ${mostInputs} inputs`);
  const read: [string, string | boolean][] = [];
  for (const [name, input] of Object.entries(inputs)) {
    const text = Object.hasOwn(given, name) ? given[name] : input.default;
    if (text !== undefined) read.push([name, inputValue(name, input, text)]);
    else if (input.isRequired) throw badRequest(`the input ${name} is required`);
  }
  return Object.fromEntries(read);
}

function inputValue(name: string, { type, options }: WorkflowInput, text: string): string | boolean {
  if (type === "boolean") return text === "true" || text === "on";
  if (options !== undefined && !options.includes(text)) {
    throw badRequest(`the input ${name} has to be one of ${options.join(", ")}`);
  }
  return text;
}
