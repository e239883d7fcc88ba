import { createHash } from "node:crypto";

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timeBytes = 6;

/**
 * A UUID (version 8, RFC 9562) made of a time in milliseconds and of names: the same whoever computes it. It begins with
 * the time, so ids sort by it, and an id leads to its item.
 */
export function deliveryIdOf(createdAt: number, names: readonly string[]): string {
  const bytes = createHash("sha256").update(names.join("\0")).digest().subarray(0, 16);
  bytes.writeUIntBE(createdAt, 0, timeBytes);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The time in an id, in milliseconds; undefined when it is no delivery's. */
export function timeOfDeliveryId(id: string): number | undefined {
  return form.test(id) ? Number.parseInt(id.replace("-", "").slice(0, 2 * timeBytes), 16) : undefined;
}
