import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface InnocentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** What a caller met: the time of each request in milliseconds, shortest first, and how many were refused. */
export interface Waits {
  readonly times: readonly number[];
  readonly refused: number;
}

/** Plays the requests in turn until it is told to end. Plain JavaScript: it runs on a thread without the bundle. */
const script = `
const { parentPort, workerData } = require("node:worker_threads");
const { requests, pauseMs } = workerData;
let isOver = false;
parentPort.once("message", () => { isOver = true; });
(async () => {
  const times = [];
  let refused = 0;
  for (let count = 0; !isOver; count += 1) {
    const { url, ...request } = requests[count % requests.length];
    const began = performance.now();
    const answer = await fetch(url, request);
    await answer.arrayBuffer();
    if (count > 0) times.push(performance.now() - began);
    if (!answer.ok) refused += 1;
    if (count === 0) parentPort.postMessage("ready");
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  times.sort((one, other) => one - other);
  parentPort.postMessage({ times, refused });
})();
`;

/**
 * What a harmless caller meets while some work is done. They call from a thread: those who send large bodies are busy
 * themselves. Their first request, which connects, isn't counted.
 */
export async function waitsBeside(
  { requests, pauseMs }: { readonly requests: readonly InnocentRequest[]; readonly pauseMs: number },
  work: () => Promise<unknown>,
): Promise<Waits> {
  const thread = new Worker(script, { eval: true, workerData: { requests, pauseMs } });
  try {
    await once(thread, "message");
    await work();
    thread.postMessage("end");
    const [waits] = (await once(thread, "message")) as [Waits];
    return waits;
  } finally {
    await thread.terminate();
  }
}

/** The wait that so large a part of the requests did not exceed. */
export const waitAt = ({ times }: Waits, part: number): string =>
  (times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(0);
