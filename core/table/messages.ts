import { itemText, plainItem } from "./attribute-values.ts";
import type { TableKey } from "./write.ts";

type Attributes = Record<string, unknown>;

interface Consumed {
  readonly CapacityUnits?: number;
}

/** What the operations answer, items and keys as plain values. */
export interface WireAnswer {
  readonly Item?: Attributes;
  readonly Items?: Attributes[];
  readonly Attributes?: Attributes;
  readonly LastEvaluatedKey?: Attributes;
  readonly Responses?: Readonly<Record<string, Attributes[]>>;
  readonly UnprocessedKeys?: Readonly<Record<string, { readonly Keys: TableKey[] }>>;
  readonly UnprocessedItems?: Readonly<
    Record<string, { readonly DeleteRequest?: { readonly Key: TableKey } }[]>
  >;
  readonly ConsumedCapacity?: Consumed | Consumed[];
}

const itemMembers = new Set(["Item", "Key", "ExclusiveStartKey", "ExpressionAttributeValues"]);

/** A request as DynamoDB reads it; what is undefined is left out. */
export function requestText(members: object): string {
  return jsonObject(members, memberText);
}

function memberText(name: string, value: unknown): string {
  if (itemMembers.has(name)) return itemText(value as object);
  if (name === "Keys") return `[${(value as object[]).map(itemText).join()}]`;
  if (name === "RequestItems") return jsonObject(value as object, (_table, of) => partText(of));
  return partText(value);
}

function partText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(requestText).join()}]`;
  return typeof value === "object" && value !== null ? requestText(value) : JSON.stringify(value);
}

function jsonObject(value: object, textOf: (name: string, value: unknown) => string): string {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(name, member)}`).join()}}`;
}

/** What DynamoDB said, with plain values in the place of typed ones. */
export function answerFrom(text: string): WireAnswer {
  const answer = JSON.parse(text) as WireAnswer;
  const { Item, Items = [], Attributes, LastEvaluatedKey, Responses = {} } = answer;
  for (const one of [Item, Attributes, LastEvaluatedKey]) if (one !== undefined) plainItem(one);
  for (const items of [Items, ...Object.values(Responses)]) items.forEach(plainItem);
  for (const { Keys } of Object.values(answer.UnprocessedKeys ?? {})) Keys.forEach(plainItem);
  for (const left of Object.values(answer.UnprocessedItems ?? {})) {
    for (const { DeleteRequest } of left) if (DeleteRequest !== undefined) plainItem(DeleteRequest.Key);
  }
  return answer;
}
