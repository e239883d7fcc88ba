import { type Attachment, attachmentKey, attachmentsPartition } from "../attachment/attachment.table.ts";
import { dataFormat, finishDataFormat, isOfPresentFormat } from "../data-format.ts";
import { defined } from "../defined.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { lastId } from "../ids.ts";
import { startJob } from "../jobs/job.ts";
import { clearingUp, type PartCursor, type PartStep } from "../jobs/passes.ts";
import { exists } from "../table/condition.ts";
import { check, keyText } from "../table/write.ts";
import { sizedThingKey } from "./quota.table.ts";
import { recountUsage } from "./recount.ts";
import { sizedThingWrite } from "./usage.ts";

/** The kind of the job that brings data of format 1 along: it had neither totals of owners nor lists by size. */
export const countingKind = "count-usage";

const ownersPerStep = 25;
const queriesPerStep = 25;
const attachmentsPerQuery = 100;

/** Starts the job if there is data of format 1; once in a process is enough. Answers how many were started. */
export async function startCounting(forge: Forge): Promise<number> {
  if (await isOfPresentFormat(forge.table)) return 0;
  const args = { since: forge.clock.now() };
  const job = startJob(forge, countingKind, args, { id: `${countingKind}-${dataFormat}` });
  if (!(await forge.table.write(job.write))) return 0;
  await send(forge, [job.message]);
  return 1;
}

/**
 * Gives all owners their totals and all attachments their rows by size. Functions of an older deploy may still write
 * without them for a while, so it looks again until none of their requests is left. Readers count for themselves until
 * then.
 */
export const countUsage = clearingUp<{ readonly since: number }>({
  parts: [
    { name: "totals", step: (forge, _pass, from) => countOwners(forge, Number(from ?? 1)) },
    { name: "sizes", step: (forge, _pass, from) => listSizes(forge, placeOf(from)) },
  ],
  since: (args) => args.since,
  finish: async ({ table }) => void (await finishDataFormat(table)),
});

async function countOwners(forge: Forge, first: number): Promise<PartStep> {
  const last = await lastId(forge.table, "owner");
  const end = Math.min(first + ownersPerStep, last + 1);
  let hasFound = false;
  for (let id = first; id < end; id += 1) hasFound = (await recountUsage(forge, id)) || hasFound;
  return { hasFound, hasMore: end <= last, inner: end };
}

/** A repository, and behind which of its attachments to go on. */
interface Place {
  readonly repositoryId: number;
  readonly after?: string;
}

function placeOf(cursor: PartCursor | undefined): Place {
  const [repositoryId = "1", after] = String(cursor ?? 1).split("#");
  return { repositoryId: Number(repositoryId), ...defined({ after }) };
}

async function listSizes(forge: Forge, from: Place): Promise<PartStep> {
  const last = await lastId(forge.table, "repository");
  let place = from;
  let hasFound = false;
  for (let queries = 0; queries < queriesPerStep && place.repositoryId <= last; queries += 1) {
    const page = await forge.table.query<Attachment>({
      pk: attachmentsPartition(place.repositoryId),
      limit: attachmentsPerQuery,
      ...defined({ after: place.after }),
    });
    hasFound = (await listMissing(forge, page.items)) || hasFound;
    const { repositoryId } = place;
    place = page.next === undefined ? { repositoryId: repositoryId + 1 } : { repositoryId, after: page.next };
  }
  const { repositoryId, after } = place;
  return {
    hasFound,
    hasMore: repositoryId <= last,
    inner: after === undefined ? repositoryId : `${repositoryId}#${after}`,
  };
}

/** Writes the rows that attachments lack, of those that are still there; true when any did. */
async function listMissing({ table }: Forge, attachments: readonly Attachment[]): Promise<boolean> {
  const keyOf = (one: Attachment) => sizedThingKey(one.repositoryId, "attachments", one);
  const found = await table.getAll(attachments.map(keyOf));
  const missing = attachments.filter((one) => !found.has(keyText(keyOf(one))));
  for (const one of missing) {
    await table.transact([
      check(attachmentKey(one.repositoryId, one.id), exists),
      sizedThingWrite(one.repositoryId, "attachments", one),
    ]);
  }
  return missing.length > 0;
}
