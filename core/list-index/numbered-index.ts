import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { lastNumber } from "../ids.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { EntryKind } from "./entry-kind.ts";
import type { ListIndex } from "./list-index.ts";
import type { SourceRow } from "./view.ts";

/** Things with numbers of their own in a repository, or at an owner, that lie by number in one partition. */
export interface Numbered<Entry, Filter, Sort> {
  /** Their plural. */
  readonly name: string;
  /** The id of the repository or owner. */
  readonly holderId: number;
  /** The place of the index. */
  readonly partition: (holderId: number) => string;
  /** The counter of their numbers. */
  readonly sequenceKey: (holderId: number) => TableKey;
  readonly itemKey: (holderId: number, number: number) => TableKey;
  readonly kind: EntryKind<Entry, Filter, Sort>;
}

/** A thing that is its own entry. */
type NumberedThing<Entry> = Item & Entry & { readonly number: number; readonly v: number };

/** The list index of such things, by number: each item is what its entry is made of. */
export function numberedIndex<Entry, Filter, Sort>(
  numbered: Numbered<Entry, Filter, Sort>,
): ListIndex<Entry, Filter, Sort> {
  const { name, holderId, partition, sequenceKey, kind } = numbered;
  const itemKey = (number: number) => numbered.itemKey(holderId, number);
  return {
    name: `${name}-${holderId}`,
    partition: partition(holderId),
    layout: kind.layout,
    kind,
    source: {
      lastId: ({ table }) => lastNumber(table, sequenceKey(holderId)),
      itemKey,
      read: (forge, first, end) => readRows(forge, kind, itemKey(first), itemKey(end - 1)),
    },
  };
}

/** Page by page, because items may be long. */
async function readRows<Entry>(
  { table }: Forge,
  { encode, encodeText }: EntryKind<Entry, never, never>,
  { pk, sk: from }: TableKey,
  { sk: to }: TableKey,
): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await table.query<NumberedThing<Entry>>({ pk, from, to, ...defined({ after }) });
    for (const one of items) {
      rows.push({ id: one.number, bytes: encode(one, one.v), ...defined({ text: encodeText?.(one) }) });
    }
    after = next;
  } while (after !== undefined);
  return rows;
}
