import type { Item, TableKey } from "#core/table/write";

interface QueryInput {
  ExpressionAttributeValues: Record<string, string>;
  ExclusiveStartKey?: TableKey;
  ScanIndexForward?: boolean;
  Limit?: number;
}
interface QueryOutput {
  Items?: Item[];
  LastEvaluatedKey?: TableKey;
}

/**
 * Hides changes that are committed but not shown yet: readers get the former item (or none). This is how the items of
 * one transaction come into sight one after another for Query and BatchGetItem.
 */
export interface Veil {
  hide(key: TableKey, former: Item | undefined): void;
  lift(key: TableKey): void;
  item(key: TableKey, item: Item | undefined): Item | undefined;
  batch(keys: readonly TableKey[], items: readonly Item[]): Item[];
  query(input: QueryInput, output: QueryOutput): QueryOutput;
}

/** Nothing hidden yet. */
export function createVeil(): Veil {
  const partitions = new Map<string, Map<string, Item | undefined>>();

  function item(key: TableKey, seen: Item | undefined): Item | undefined {
    const partition = partitions.get(key.pk);
    return partition?.has(key.sk) ? partition.get(key.sk) : seen;
  }

  return {
    hide(key, former) {
      const partition = partitions.get(key.pk) ?? new Map<string, Item | undefined>();
      partitions.set(key.pk, partition.set(key.sk, former));
    },
    lift(key) {
      const partition = partitions.get(key.pk);
      partition?.delete(key.sk);
      if (partition?.size === 0) partitions.delete(key.pk);
    },
    item,
    batch(keys, items) {
      const seen = new Map(items.map((one) => [`${one.pk}\0${one.sk}`, one]));
      return keys.flatMap((key) => item(key, seen.get(`${key.pk}\0${key.sk}`)) ?? []);
    },
    query(input, output) {
      const hidden = partitions.get(input.ExpressionAttributeValues[":pk"] ?? "");
      if (hidden === undefined) return output;
      const items = new Map((output.Items ?? []).map((one) => [one.sk, one]));
      for (const [sk, former] of hidden) {
        if (!isInPage(sk, input, output)) continue;
        if (former === undefined) items.delete(sk);
        else items.set(sk, former);
      }
      return limited(input, output, [...items.values()]);
    },
  };
}

function isInPage(sk: string, input: QueryInput, output: QueryOutput): boolean {
  const { ":prefix": prefix = "", ":from": from, ":to": to } = input.ExpressionAttributeValues;
  if (!sk.startsWith(prefix) || (from !== undefined && sk < from) || (to !== undefined && sk > to))
    return false;
  const isForward = input.ScanIndexForward !== false;
  const after = input.ExclusiveStartKey?.sk;
  const last = output.LastEvaluatedKey?.sk;
  if (after !== undefined && (isForward ? sk <= after : sk >= after)) return false;
  return last === undefined || (isForward ? sk <= last : sk >= last);
}

function limited(input: QueryInput, output: QueryOutput, items: Item[]): QueryOutput {
  const direction = input.ScanIndexForward === false ? -1 : 1;
  items.sort((one, other) => (one.sk < other.sk ? -direction : direction));
  const kept = items.slice(0, input.Limit ?? items.length);
  const last = kept.at(-1);
  if (last === undefined || kept.length === items.length) return { ...output, Items: kept };
  return { ...output, Items: kept, LastEvaluatedKey: { pk: last.pk, sk: last.sk } };
}
