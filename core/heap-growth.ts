import { setFlagsFromString } from "node:v8";

/**
 * Has V8 mark the heap once it has grown to twice what was left of it, buffers counted; it takes effect from the next
 * marking on. V8's own measure looks at the heap alone: while a pack streams through, nearly all that is
 * allocated is buffers, and it marks a heap of 40 MB for every 15 MB of those (docs/decisions/0025-heap-growth.md).
 */
export function growHeapEvenly(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
