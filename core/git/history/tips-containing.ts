import type { ObjectId } from "../format/object-format.ts";
import type { History } from "./history.ts";

/** The commits among some that are a given one or lead to it, in one walk for all of them. */
export async function tipsContaining(
  history: History,
  target: ObjectId,
  tips: readonly ObjectId[],
): Promise<ReadonlySet<ObjectId>> {
  const leads = new Map<ObjectId, boolean>([[target, true]]);
  await history.openGraph();
  const { generation } = await history.links(target);
  for (const tip of tips) await decide(history, tip, generation, leads);
  return new Set(tips.filter((tip) => leads.get(tip) === true));
}

interface Open {
  readonly id: ObjectId;
  readonly parents: readonly ObjectId[];
  next: number;
}

/**
 * Depth first. A commit under examination counts as leading nowhere, so that a cycle ends; so does one whose generation
 * is not later than the target's.
 */
async function decide(
  history: History,
  start: ObjectId,
  least: number | undefined,
  leads: Map<ObjectId, boolean>,
): Promise<void> {
  const stack: Open[] = [];
  const enter = async (id: ObjectId) => {
    if (leads.has(id)) return;
    leads.set(id, false);
    const links = history.links(id);
    const { parents, generation } = links instanceof Promise ? await links : links;
    if (generation !== undefined && generation <= (least ?? Number.POSITIVE_INFINITY)) return;
    stack.push({ id, parents, next: 0 });
  };
  await enter(start);
  for (let open = stack.at(-1); open !== undefined; open = stack.at(-1)) {
    const pause = history.pace();
    if (pause !== undefined) await pause;
    const before = open.next === 0 ? undefined : open.parents[open.next - 1];
    if (before !== undefined && leads.get(before) === true) leads.set(open.id, true);
    const parent = leads.get(open.id) === true ? undefined : open.parents[open.next];
    open.next += 1;
    if (parent === undefined) stack.pop();
    else await enter(parent);
  }
}
