/**
 * Items as DynamoDB's JSON carries them: each value under the name of its type (`{"S": "text"}`). Here they are written
 * as text and read in place, in one pass each: both stand in the way of every request.
 */

/** A plain value as JSON of its typed form. Throws TypeError for what DynamoDB has no type for. */
function valueText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `{"S":${JSON.stringify(value)}}`;
    case "number":
      return `{"N":"${exact(value)}"}`;
    case "bigint":
      return `{"N":"${value}"}`;
    case "boolean":
      return `{"BOOL":${value}}`;
    case "object":
      return objectText(value);
    default:
      throw new TypeError(`DynamoDB has no type for a ${typeof value}`);
  }
}

function objectText(value: object | null): string {
  if (value === null) return '{"NULL":true}';
  if (Array.isArray(value)) return `{"L":[${value.filter(isThere).map(valueText).join()}]}`;
  if (value instanceof Uint8Array) return `{"B":"${base64(value)}"}`;
  if (value instanceof Set) return setText([...value]);
  if (Object.getPrototypeOf(value) === Object.prototype) return `{"M":${itemText(value)}}`;
  throw new TypeError(`DynamoDB has no type for a ${value.constructor.name}`);
}

function setText(members: readonly unknown[]): string {
  const [first] = members;
  if (first === undefined) throw new TypeError("DynamoDB has no empty sets: leave the attribute out");
  if (typeof first === "string") return `{"SS":${JSON.stringify(members)}}`;
  if (typeof first === "number") return `{"NS":${JSON.stringify(members.map(exact))}}`;
  if (first instanceof Uint8Array) return `{"BS":${JSON.stringify(members.map(base64))}}`;
  throw new TypeError(`DynamoDB has no sets of a ${typeof first}`);
}

/** An item, or another map of attributes, as JSON; what is undefined is left out. */
export function itemText(item: object): string {
  let text = "";
  for (const [name, value] of Object.entries(item)) {
    if (value === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${valueText(value)}`;
  }
  return `{${text}}`;
}

const isThere = (value: unknown): boolean => value !== undefined;
const base64 = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("base64");

/** A number whose text stands for itself: not NaN, nor infinite, nor a whole one that may have lost digits. */
function exact(value: unknown): string {
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (!isExact) throw new TypeError(`${value} is no number that can be stored`);
  return String(value);
}

/** A value in its typed form, as it was parsed. */
type AttributeValue = Readonly<Record<string, never>>;
type AttributeMap = Record<string, unknown>;

/** Turns a parsed map of attributes into plain values, in place: its keys are then its own, whatever they are called. */
export function plainItem(attributes: object): AttributeMap {
  const item = attributes as AttributeMap;
  for (const name of Object.keys(item)) item[name] = plainValue(item[name] as AttributeValue);
  return item;
}

/** The commonest types first. */
function plainValue(typed: AttributeValue): unknown {
  if (typed.S !== undefined) return typed.S;
  if (typed.N !== undefined) return Number(typed.N);
  if (typed.BOOL !== undefined) return typed.BOOL;
  if (typed.L !== undefined) return (typed.L as AttributeValue[]).map(plainValue);
  if (typed.M !== undefined) return plainItem(typed.M);
  if (typed.B !== undefined) return bytes(typed.B);
  if (typed.SS !== undefined) return new Set(typed.SS as string[]);
  if (typed.NS !== undefined) return new Set((typed.NS as string[]).map(Number));
  if (typed.BS !== undefined) return new Set((typed.BS as string[]).map(bytes));
  return null;
}

function bytes(base64Text: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(base64Text, "base64");
  return new Uint8Array(buffer, byteOffset, byteLength);
}
