import { randomUUID } from "node:crypto";
import { taskKey } from "../actions/actions.table.ts";
import { logObjectsOf } from "../actions/log/log.table.ts";
import { findTask } from "../actions/run/run.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { equals } from "../table/condition.ts";
import { update } from "../table/write.ts";
import type { ServedTask } from "./task.ts";

const most = { names: 100, nameBytes: 255, valueBytes: 2 ** 20, allBytes: 2 ** 20 };

/** The outputs of a task; none when none came. */
export async function readOutputs(
  { blobs }: Pick<Forge, "blobs">,
  { outputsKey }: Pick<ServedTask, "outputsKey">,
): Promise<Readonly<Record<string, string>>> {
  if (outputsKey === undefined) return {};
  return JSON.parse(Buffer.from(await blobs.get(outputsKey)).toString("utf8"));
}

/**
 * Keeps outputs that a job tells, and answers the names of all that are kept. The first value of a name counts; names
 * over 255 bytes and values over 1 MiB are passed over, and so is what goes beyond 100 names or 1 MiB together
 * (semantics §60.3).
 */
export async function addOutputs(
  forge: Forge,
  { repositoryId, jobNumber }: { readonly repositoryId: number; readonly jobNumber: number },
  given: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  for await (const _attempt of attempts()) {
    const task = (await findTask(forge, repositoryId, jobNumber)) as ServedTask | undefined;
    if (task === undefined) return [];
    const { outputNames = [], outputsKey } = task;
    if (Object.keys(given).every((name) => outputNames.includes(name))) return outputNames;
    const kept = withinBounds(await readOutputs(forge, task), given);
    const names = Object.keys(kept);
    if (names.length === outputNames.length) return outputNames;
    const key = `${logObjectsOf(repositoryId, jobNumber)}${randomUUID()}`;
    await forge.blobs.put(key, Buffer.from(JSON.stringify(kept)));
    const set = { outputNames: names, outputsKey: key };
    const isKept = await forge.table.write(
      update(taskKey(repositoryId, jobNumber), { set }, equals({ outputsKey })),
    );
    if (isKept) return names;
  }
  throw conflict("the outputs of the job are being changed by others; try again");
}

function withinBounds(
  known: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = new Map(Object.entries(known));
  const sizeOf = (name: string, value: string) => Buffer.byteLength(name) + Buffer.byteLength(value);
  let bytes = [...kept].reduce((sum, [name, value]) => sum + sizeOf(name, value), 0);
  for (const [name, value] of Object.entries(given)) {
    const size = sizeOf(name, value);
    const isTooMuch =
      Buffer.byteLength(name) > most.nameBytes ||
      Buffer.byteLength(value) > most.valueBytes ||
      bytes + size > most.allBytes ||
      kept.size >= most.names;
    if (kept.has(name) || isTooMuch) continue;
    kept.set(name, value);
    bytes += size;
  }
  return Object.fromEntries(kept);
}
