/** Those that gave way, in the order in which they go on. */
const waiting: (() => void)[] = [];

/** Turns of the loop in a row that went to new connections alone; no more than this many, so that work goes on, too. */
const mostHeldBack = 20;
let heldBack = 0;
let hasArrival = false;

/**
 * Gives way to the event loop in the middle of long work. Of several that gave way, one continues in each turn of the
 * loop: otherwise a hundred slices of 8 ms would follow each other before any request is read.
 */
export function giveWay(): Promise<void> {
  return new Promise((goOn) => {
    waiting.push(goOn);
    if (waiting.length === 1) setImmediate(goOnWithNext);
  });
}

/**
 * Notes that a client connected. Node accepts one connection in a turn of the loop: while they come, turns are kept
 * short, so that the last of hundreds does not wait for a slice of work before each of the others.
 */
export function noteArrival(): void {
  hasArrival = true;
}

function goOnWithNext(): void {
  if (hasArrival && heldBack < mostHeldBack) heldBack += 1;
  else {
    heldBack = 0;
    waiting.shift()?.();
  }
  hasArrival = false;
  if (waiting.length > 0) setImmediate(goOnWithNext);
}
