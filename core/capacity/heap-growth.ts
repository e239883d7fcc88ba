import { setFlagsFromString } from "node:v8";

/**
 * Makes V8 mark the heap once it has grown to twice the size after the last marking, buffers included; it takes effect
 * from the next marking on. V8's own measure looks only at the heap: while a pack streams through, nearly all
 * allocations are buffers, and it marks a heap of 40 MB for every 15 MB of those (docs/decisions/0025-heap-growth.md).
 */
export function growHeapEvenly(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
