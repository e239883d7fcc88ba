/**
 * The numbers 0 … count-1 in the order of the binary ids they stand for (`ids` holds them end to end).
 * Sorts native 64-bit keys (first four bytes, number), then settles the rare ties by the whole id.
 */
export function sortIds(ids: Uint8Array, idBytes: number, count: number): Uint32Array {
  const keys = new BigUint64Array(count);
  const words = new Uint32Array(keys.buffer);
  for (let i = 0, at = 0; i < count; i++, at += idBytes) {
    words[i * 2] = i;
    words[i * 2 + 1] =
      (((ids[at] as number) << 24) |
        ((ids[at + 1] as number) << 16) |
        ((ids[at + 2] as number) << 8) |
        (ids[at + 3] as number)) >>>
      0;
  }
  keys.sort();
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = words[i * 2] as number;
  settleTies(order, words, ids, idBytes);
  return order;
}

function settleTies(order: Uint32Array, words: Uint32Array, ids: Uint8Array, idBytes: number): void {
  const count = order.length;
  for (let i = 1; i < count; i++) {
    const prefix = words[i * 2 + 1];
    if (prefix !== words[i * 2 - 1]) continue;
    let end = i + 1;
    while (end < count && words[end * 2 + 1] === prefix) end++;
    order
      .subarray(i - 1, end)
      .sort((left, right) => compareIds(ids, left * idBytes, ids, right * idBytes, idBytes));
    i = end;
  }
}

/** Order of two binary ids inside their buffers: below zero, zero, above zero. */
export function compareIds(
  left: Uint8Array,
  leftAt: number,
  right: Uint8Array,
  rightAt: number,
  idBytes: number,
): number {
  for (let i = 0; i < idBytes; i++) {
    const difference = (left[leftAt + i] as number) - (right[rightAt + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether some binary ids, which lie end to end in their order, hold one. */
export function hasSortedId(ids: Uint8Array, id: Uint8Array): boolean {
  let low = 0;
  let high = ids.length / id.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareIds(ids, middle * id.length, id, 0, id.length);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
