/** From the process to a thread; one task at a time. */
export type ToThread =
  | { readonly kind: "run"; readonly task: string; readonly input: object }
  | { readonly kind: "message"; readonly message: unknown }
  | { readonly kind: "abort" };

/** From a thread to the process. */
export type FromThread =
  | { readonly kind: "message"; readonly message: unknown }
  | { readonly kind: "done"; readonly output: unknown; readonly endsThread: boolean }
  | { readonly kind: "failed"; readonly error: unknown };

/** The byte members of a value as Buffers over the same memory; the rest as it is. */
export function withBuffers<T>(value: T): T {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return asBuffer(value) as T;
  if (value instanceof Uint8Array) return asBuffer(value) as T;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asBuffer(member)])) as T;
}

const asBuffer = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;

/** Copies the members of a value that are parts of larger memory: a clone would take the whole memory along. */
export const withoutSurroundings = (input: object): object =>
  Object.fromEntries(
    Object.entries(input).map(([name, member]) => [
      name,
      member instanceof Uint8Array && member.byteLength < member.buffer.byteLength
        ? new Uint8Array(member)
        : member,
    ]),
  );

/** Memory that an output may give away: typed arrays that fill all of theirs. */
export function ownMemory(output: unknown): ArrayBuffer[] {
  const members = output instanceof Object && !ArrayBuffer.isView(output) ? Object.values(output) : [output];
  const buffers = members.flatMap((member) =>
    ArrayBuffer.isView(member) &&
    member.buffer instanceof ArrayBuffer &&
    member.byteLength === member.buffer.byteLength
      ? [member.buffer]
      : [],
  );
  return [...new Set(buffers)];
}
