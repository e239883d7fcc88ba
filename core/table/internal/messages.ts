import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { TableKey } from "../write.ts";
import { itemText, plainItem } from "./attribute-values.ts";

type Attributes = Record<string, unknown>;

interface Consumed {
  readonly CapacityUnits?: number;
}

/** The operations' answers, items and keys as plain values. */
export interface PlainAnswer {
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

/** A request in the SDK's form: its items and keys as typed attributes (`{ S: "text" }`). */
export const typedRequest = (members: object): object =>
  convertMembers(members, (item) => marshall(item, { removeUndefinedValues: true }));

/** The SDK's answer, with plain values instead of typed attributes. */
export const plainAnswer = (answer: object): PlainAnswer =>
  convertMembers(answer, (item) => unmarshall(item as Parameters<typeof unmarshall>[0]));

/** The same request as the text that DynamoDB reads; undefined members are left out. */
export const requestText = (members: object): string => objectText(members, memberText);

/** DynamoDB's answer, from its text. */
export function answerFrom(text: string): PlainAnswer {
  const answer = JSON.parse(text) as PlainAnswer;
  const { Item, Items = [], Attributes, LastEvaluatedKey, Responses = {} } = answer;
  for (const one of [Item, Attributes, LastEvaluatedKey]) if (one !== undefined) plainItem(one);
  for (const found of [Items, ...Object.values(Responses)]) found.forEach(plainItem);
  for (const { Keys } of Object.values(answer.UnprocessedKeys ?? {})) Keys.forEach(plainItem);
  for (const left of Object.values(answer.UnprocessedItems ?? {})) {
    for (const { DeleteRequest } of left) if (DeleteRequest !== undefined) plainItem(DeleteRequest.Key);
  }
  return answer;
}

type Convert = (item: object) => object;

const items = new Set([
  "Item",
  "Key",
  "ExclusiveStartKey",
  "ExpressionAttributeValues",
  "Attributes",
  "LastEvaluatedKey",
]);
const lists = new Set(["Items", "Keys"]);
const byTable = new Set(["RequestItems", "UnprocessedKeys", "UnprocessedItems"]);

/** Converts every item and key of a message. Names of tables stay as they are. */
function convertMembers(members: object, convert: Convert): object {
  return mapMembers(members, (name, value) => {
    if (items.has(name)) return convert(value as object);
    if (lists.has(name)) return (value as object[]).map(convert);
    if (name === "Responses")
      return mapMembers(value as object, (_, found) => (found as object[]).map(convert));
    if (byTable.has(name)) return mapMembers(value as object, (_, part) => convertPart(part, convert));
    return convertPart(value, convert);
  });
}

function convertPart(value: unknown, convert: Convert): unknown {
  if (Array.isArray(value)) return value.map((part) => convertPart(part, convert));
  return typeof value === "object" && value !== null ? convertMembers(value, convert) : value;
}

function mapMembers(object: object, map: (name: string, value: unknown) => unknown): object {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, map(name, value)]));
}

function memberText(name: string, value: unknown): string {
  if (items.has(name)) return itemText(value as object);
  if (lists.has(name)) return `[${(value as object[]).map(itemText).join()}]`;
  if (byTable.has(name)) return objectText(value as object, (_table, part) => partText(part));
  return partText(value);
}

function partText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(partText).join()}]`;
  if (typeof value === "object" && value !== null) return objectText(value, memberText);
  return JSON.stringify(value);
}

function objectText(object: object, textOf: (name: string, value: unknown) => string): string {
  let text = "";
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${textOf(name, value)}`;
  }
  return `{${text}}`;
}
