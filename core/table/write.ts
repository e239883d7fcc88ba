import { type Changes, type Condition, compileChanges, compileCondition, Placeholders } from "./condition.ts";

/** The key of an item. */
export interface TableKey {
  readonly pk: string;
  readonly sk: string;
}

/** An item as nouns see it: its key and its attributes. Only the nouns' `.table.ts` write keys. */
export type Item = TableKey & { readonly [attribute: string]: unknown };

/** One write, alone or inside a transaction. */
export type Write =
  | { readonly put: Item; readonly when?: Condition }
  | { readonly update: TableKey; readonly changes: Changes; readonly when?: Condition }
  | { readonly remove: TableKey; readonly when?: Condition }
  | { readonly check: TableKey; readonly when: Condition };

/** Puts a whole item. */
export function put(item: Item, when?: Condition): Write {
  return when === undefined ? { put: item } : { put: item, when };
}

/** Changes attributes; creates the item when it is absent unless a condition forbids it. */
export function update(key: TableKey, changes: Changes, when?: Condition): Write {
  return when === undefined ? { update: key, changes } : { update: key, changes, when };
}

/** Removes an item; removing an absent one is no error. */
export function remove(key: TableKey, when?: Condition): Write {
  return when === undefined ? { remove: key } : { remove: key, when };
}

/** Inside a transaction: lets it happen only when the condition holds. */
export const check = (key: TableKey, when: Condition): Write => ({ check: key, when });

/** The key that a write touches. */
export function keyOf(write: Write): TableKey {
  const key =
    "put" in write
      ? write.put
      : "update" in write
        ? write.update
        : "remove" in write
          ? write.remove
          : write.check;
  return { pk: key.pk, sk: key.sk };
}

/** One text per key, for maps and sets of keys. */
export const keyText = (key: TableKey): string => `${key.pk}\0${key.sk}`;

/** A write's members as a transaction or a single request takes them (without the operation's name). */
export function compileWrite(write: Write, tableName: string) {
  const placeholders = new Placeholders();
  const updateExpression =
    "update" in write ? { UpdateExpression: compileChanges(write.changes, placeholders) } : {};
  const conditionExpression =
    write.when === undefined ? {} : { ConditionExpression: compileCondition(write.when, placeholders) };
  return { TableName: tableName, ...updateExpression, ...conditionExpression, ...placeholders.members() };
}
