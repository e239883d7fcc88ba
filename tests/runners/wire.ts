/**
 * Protobuf's wire format, told once more for a client that shares nothing with the service: numbers as varints, texts,
 * bytes and messages with their lengths before them.
 */
export type Kind = "string" | "bytes" | "number" | "bool" | "double" | Shape;
export interface Field {
  readonly no: number;
  readonly kind: Kind;
  readonly isRepeated?: true;
  /** A map with texts for keys; the kind is that of its values. */
  readonly isMap?: true;
}
export type Shape = () => Readonly<Record<string, Field>>;
export type Values = Readonly<Record<string, unknown>>;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

const withLength = (no: number, bytes: Buffer): Buffer =>
  Buffer.concat([varint(no * 8 + 2), varint(bytes.length), bytes]);

function one(no: number, kind: Kind, value: unknown): Buffer {
  if (typeof kind === "function") return withLength(no, encodeMessage(kind, value as Values));
  if (kind === "string") return withLength(no, Buffer.from(String(value)));
  if (kind === "bytes") return withLength(no, value as Buffer);
  return Buffer.concat([varint(no * 8), varint(Number(value))]);
}

/** A message's bytes; absent and unknown members are left out. */
export function encodeMessage(shape: Shape, values: Values): Buffer {
  const parts = Object.entries(shape()).flatMap(([name, { no, kind, isRepeated, isMap }]) => {
    const value = values[name];
    if (value === undefined) return [];
    if (isMap === true) {
      const entry: Shape = () => ({ key: { no: 1, kind: "string" }, value: { no: 2, kind } });
      return Object.entries(value as object).map(([key, member]) => one(no, entry, { key, value: member }));
    }
    return (isRepeated === true ? (value as unknown[]) : [value]).map((member) => one(no, kind, member));
  });
  return Buffer.concat(parts);
}

class Reader {
  readonly bytes: Buffer;
  at = 0;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  varint(): number {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error("the message ends inside a number");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(value);
    }
  }
  take(count: number): Buffer {
    this.at += count;
    if (this.at > this.bytes.length) throw new Error("the message ends inside a field");
    return this.bytes.subarray(this.at - count, this.at);
  }
  /** The raw value of a field: a number, or its bytes. */
  raw(wireType: number): number | Buffer {
    if (wireType === 0) return this.varint();
    if (wireType === 1) return this.take(8);
    if (wireType === 2) return this.take(this.varint());
    throw new Error(`the wire type ${wireType} is not used here`);
  }
}

function memberOf(kind: Kind, raw: number | Buffer): unknown {
  if (kind === "number") return raw;
  if (kind === "bool") return raw === 1;
  const bytes = raw as Buffer;
  if (kind === "double") return bytes.readDoubleLE();
  if (kind === "bytes") return bytes;
  return kind === "string" ? bytes.toString("utf8") : decodeMessage(kind, bytes);
}

/** A message's members; absent ones are absent. Throws for a field that the shape does not have. */
export function decodeMessage(shape: Shape, bytes: Buffer): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const fields = new Map(Object.entries(shape()).map(([name, field]) => [field.no, { name, ...field }]));
  const reader = new Reader(bytes);
  while (reader.at < bytes.length) {
    const tag = reader.varint();
    const field = fields.get(tag >> 3);
    if (field === undefined) throw new Error(`a field ${tag >> 3} that nobody expects`);
    const raw = reader.raw(tag & 7);
    if (field.isMap === true) {
      const entry: Shape = () => ({ key: { no: 1, kind: "string" }, value: { no: 2, kind: field.kind } });
      const { key = "", value = "" } = decodeMessage(entry, raw as Buffer);
      values[field.name] = { ...(values[field.name] as object | undefined), [String(key)]: value };
    } else if (field.isRepeated === true) {
      values[field.name] = [
        ...((values[field.name] as unknown[] | undefined) ?? []),
        memberOf(field.kind, raw),
      ];
    } else values[field.name] = memberOf(field.kind, raw);
  }
  return values;
}
