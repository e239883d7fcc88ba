import { attempts } from "../../concurrency/attempts.ts";
import { conflict, unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { absent, equals } from "../../table/condition.ts";
import { put } from "../../table/write.ts";
import { type DisabledWorkflows, disabledWorkflowsKey } from "./plans.table.ts";

const mostDisabled = 200;

/** The names of the workflows of a repository that are switched off: no event starts them. */
export async function disabledWorkflows(
  { table }: Pick<Forge, "table">,
  repositoryId: number,
): Promise<readonly string[]> {
  return (await table.get<DisabledWorkflows>(disabledWorkflowsKey(repositoryId)))?.names ?? [];
}

/** Switches a workflow on or off; it may be so already. 422 when too many are off. */
export async function switchWorkflow(
  { table }: Forge,
  repositoryId: number,
  name: string,
  isOn: boolean,
): Promise<void> {
  for await (const _attempt of attempts()) {
    const key = disabledWorkflowsKey(repositoryId);
    const found = await table.get<DisabledWorkflows>(key);
    const { names = [], v = 0 } = found ?? {};
    if (names.includes(name) !== isOn) return;
    const after = isOn ? names.filter((one) => one !== name) : [...names, name];
    if (after.length > mostDisabled) {
      throw unprocessable(`at most ${mostDisabled} workflows of a repository can be switched off`);
    }
    const item: DisabledWorkflows = { ...key, names: after, v: v + 1, _v: 1 };
    if (await table.write(put(item, found === undefined ? absent : equals({ v })))) return;
  }
  throw conflict("others switch workflows of the repository all the time; try again");
}
