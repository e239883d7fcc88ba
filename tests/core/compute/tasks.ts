import type { Task } from "#core/compute/task";

/** Tasks that no caller should get away with. */
export const spinTask: Task<object, string> = {
  name: "spin",
  deadlineMs: 300,
  run() {
    for (;;);
  },
};

/** What everybody gets away with, on a machine that takes long to start a thread, too. */
export const quickTask: Task<object, string> = {
  name: "quick",
  deadlineMs: 120_000,
  run: () => "done",
};

export const eatTask: Task<object, number> = {
  name: "eat",
  deadlineMs: 120_000,
  run() {
    const eaten: number[][] = [];
    for (;;) eaten.push(Array.from({ length: 100_000 }, (_, at) => at));
  },
};

export const failTask: Task<object, string> = {
  name: "fail",
  deadlineMs: 120_000,
  run() {
    throw new RangeError("of the task");
  },
};

export const dieTask: Task<object, string> = {
  name: "die",
  deadlineMs: 120_000,
  run: () => process.exit(1),
};

export const holdTask: Task<object, string> = {
  name: "hold",
  deadlineMs: 120_000,
  run: (_input, port) => new Promise((resolve) => port.onMessage((message) => resolve(String(message)))),
};

/** The first byte of each half of some bytes, and whether they came as a Buffer. */
export const bytesTask: Task<{ readonly bytes: Buffer }, { half: Buffer; isBuffer: boolean }> = {
  name: "bytes",
  deadlineMs: 120_000,
  isSmall: ({ bytes }) => bytes.length < 4,
  run: ({ bytes }) => ({ half: bytes.subarray(bytes.length / 2), isBuffer: Buffer.isBuffer(bytes) }),
};
