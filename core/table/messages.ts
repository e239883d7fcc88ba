import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { TableKey } from "./write.ts";

type Attributes = Record<string, unknown>;

interface Consumed {
  readonly CapacityUnits?: number;
}

/** What the operations answer, items and keys as plain values. */
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

/** A request as the SDK takes it: its items and keys as typed attributes (`{ S: "text" }`). */
export const typedRequest = (members: object): object =>
  convertMembers(members, (item) => marshall(item, { removeUndefinedValues: true }));

/** What the SDK answers, with plain values in the place of typed attributes. */
export const plainAnswer = (answer: object): PlainAnswer =>
  convertMembers(answer, (item) => unmarshall(item as Parameters<typeof unmarshall>[0]));

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

/** Converts every item and key of a message. The names of tables stand for themselves, whatever they are. */
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
