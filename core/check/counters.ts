import { hookPrefix } from "../hook/hook.table.ts";
import { type IdKind, sequenceKey } from "../ids.ts";
import { labelPrefix } from "../label/label.table.ts";
import { milestonePrefix } from "../milestone/milestone.table.ts";
import { absent, below } from "../table/condition.ts";
import { type Item, update } from "../table/write.ts";
import { teamPrefix } from "../team/team.table.ts";
import { type Finding, mending, shownKey } from "./finding.ts";

/** The counters of ids, and the greatest ids that were given, by kind. */
export interface CounterFacts {
  readonly counters: Map<string, number>;
  readonly greatestIds: Map<IdKind, number>;
}

/** Which items bear an id of which kind: the first part of the partition, and how the sort key begins. */
const bearers: readonly (readonly [kind: IdKind, partition: string, prefix: string])[] = [
  ["owner", "O", "#"],
  ["team", "O", teamPrefix],
  ["label", "O", labelPrefix],
  ["hook", "O", hookPrefix],
  ["repository", "R", "META"],
  ["label", "R", labelPrefix],
  ["milestone", "R", milestonePrefix],
  ["hook", "R", hookPrefix],
  ["hook", "HOOKS", hookPrefix],
  ["deploy-key", "R", "KEY#"],
  ["token", "U", "TOK#"],
  ["key", "U", "KEY#"],
  ["gpg-key", "U", "GPG#"],
  ["branch-protection", "R", "BP#"],
  ["tag-protection", "R", "TP#"],
  ["issue", "I", "#"],
  ["comment", "I", "C#"],
  ["tracked-time", "I", "TT#"],
];

/** Takes notice of an item that bears an id, or is a counter; `kind` is the first part of its partition. */
export function noteId({ counters, greatestIds }: CounterFacts, item: Item, kind: string): void {
  if (kind === "SEQ") counters.set(item.pk.slice("SEQ#".length), Number(item.n));
  if (kind === "R" && item.pk.endsWith("#AT")) noteGreatest(greatestIds, "attachment", Number(item.id));
  const isBeside = kind !== "I" && item.pk.split("#").length > 2;
  if (isBeside || typeof item.id !== "number") return;
  for (const [bears, partition, prefix] of bearers) {
    if (partition !== kind || !item.sk.startsWith(prefix)) continue;
    noteGreatest(greatestIds, bears, item.id);
  }
}

const noteGreatest = (greatestIds: Map<IdKind, number>, kind: IdKind, id: number) =>
  greatestIds.set(kind, Math.max(greatestIds.get(kind) ?? 0, id));

/** Invariant 9: each counter has passed every id of its kind, so that none is given twice. */
export function checkCounters({ counters, greatestIds }: CounterFacts): Finding[] {
  return [...greatestIds].flatMap(([kind, greatest]): Finding[] => {
    const last = counters.get(kind) ?? 0;
    if (last >= greatest) return [];
    const key = sequenceKey(kind);
    const advanced = update(key, { set: { n: greatest } }, last === 0 ? absent : below({ n: greatest }));
    return [
      {
        invariant: 9,
        key: shownKey(key),
        problem: `the counter stands at ${last}, ${kind} ${greatest} is there already`,
        remedy: `sets the counter to ${greatest}`,
        repair: mending([], advanced),
      },
    ];
  });
}
