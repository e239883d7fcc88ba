/**
 * Items in DynamoDB's JSON: each value under the name of its type (`{"S": "text"}`), bytes as base64. They are written
 * as text and read in place, in one pass each, because every request needs both.
 */

/**
 * An item, or another map of attributes, as JSON; undefined members are left out. TypeError for values that can't be
 * stored.
 */
export function itemText(item: object): string {
  let text = "";
  for (const [name, value] of Object.entries(item)) {
    if (value === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${valueText(value)}`;
  }
  return `{${text}}`;
}

function valueText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `{"S":${JSON.stringify(value)}}`;
    case "number":
      return `{"N":"${exact(value)}"}`;
    case "boolean":
      return value ? '{"BOOL":true}' : '{"BOOL":false}';
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
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return `{"M":${itemText(value)}}`;
  throw new TypeError(`DynamoDB has no type for a ${value.constructor.name}`);
}

function setText(members: readonly unknown[]): string {
  const [first] = members;
  if (typeof first === "string") return `{"SS":${JSON.stringify(members)}}`;
  if (typeof first === "number") return `{"NS":${JSON.stringify(members.map(exact))}}`;
  throw new TypeError("a set holds texts or numbers, one at least");
}

const isThere = (value: unknown): boolean => value !== undefined;
const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

/** A number whose text is exact: not NaN, nor infinite, nor a whole number that may have lost digits. */
function exact(value: unknown): string {
  const isExact = Number.isFinite(value) && Math.abs(value as number) <= Number.MAX_SAFE_INTEGER;
  if (!isExact) throw new TypeError(`${value} is no number that can be stored`);
  return String(value);
}

/** A value in its typed form, as it was parsed. */
interface Typed {
  readonly S?: string;
  readonly N?: string;
  readonly BOOL?: boolean;
  readonly NULL?: true;
  readonly L?: Typed[];
  readonly M?: object;
  readonly B?: string;
  readonly SS?: string[];
  readonly NS?: string[];
}

/** Turns a parsed map of attributes into plain values, in place: its names stay its own, whatever they are. */
export function plainItem(attributes: object): Record<string, unknown> {
  const item = attributes as Record<string, unknown>;
  for (const name of Object.keys(item)) item[name] = plainValue(item[name] as Typed);
  return item;
}

/** The commonest types first. */
function plainValue(typed: Typed): unknown {
  if (typed.S !== undefined) return typed.S;
  if (typed.N !== undefined) return Number(typed.N);
  if (typed.BOOL !== undefined) return typed.BOOL;
  if (typed.L !== undefined) return typed.L.map(plainValue);
  if (typed.M !== undefined) return plainItem(typed.M);
  if (typed.B !== undefined) return bytes(typed.B);
  if (typed.SS !== undefined) return new Set(typed.SS);
  if (typed.NS !== undefined) return new Set(typed.NS.map(Number));
  if (typed.NULL !== undefined) return null;
  throw new TypeError(`an attribute of an unknown type: ${Object.keys(typed).join()}`);
}

function bytes(base64Text: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(base64Text, "base64");
  return new Uint8Array(buffer, byteOffset, byteLength);
}
