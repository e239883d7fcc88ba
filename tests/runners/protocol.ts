import type { Field, Kind, Shape } from "./wire.ts";

/** The messages of semantics §60.2, as the client knows them. */
const field = (no: number, kind: Kind): Field => ({ no, kind });
const many = (no: number, kind: Kind): Field => ({ no, kind, isRepeated: true });
const map = (no: number, kind: Kind): Field => ({ no, kind, isMap: true });

const timestamp: Shape = () => ({ seconds: field(1, "number"), nanos: field(2, "number") });
const struct: Shape = () => ({ fields: map(1, value) });
const list: Shape = () => ({ values: many(1, value) });
const value: Shape = () => ({
  null: field(1, "number"),
  number: field(2, "double"),
  string: field(3, "string"),
  bool: field(4, "bool"),
  struct: field(5, struct),
  list: field(6, list),
});

const runner: Shape = () => ({
  ...{ id: field(1, "number"), uuid: field(2, "string"), token: field(3, "string") },
  ...{ name: field(4, "string"), status: field(5, "number"), version: field(8, "string") },
  ...{ labels: many(9, "string"), ephemeral: field(10, "bool") },
});
const need: Shape = () => ({ outputs: map(1, "string"), result: field(2, "number") });
const task: Shape = () => ({
  ...{ id: field(1, "number"), workflowPayload: field(2, "bytes"), context: field(3, struct) },
  ...{ secrets: map(4, "string"), needs: map(6, need), vars: map(7, "string") },
});
const span = { result: field(2, "number"), startedAt: field(3, timestamp), stoppedAt: field(4, timestamp) };
const step: Shape = () => ({
  ...{ id: field(1, "number"), ...span, logIndex: field(5, "number"), logLength: field(6, "number") },
});
const state: Shape = () => ({ id: field(1, "number"), ...span, steps: many(5, step) });
const row: Shape = () => ({ time: field(1, timestamp), content: field(2, "string") });

/** Each method with what it takes and answers. */
export const methods = {
  "ping.v1.PingService/Ping": {
    takes: () => ({ data: field(1, "string") }),
    answers: () => ({ data: field(1, "string") }),
  },
  "runner.v1.RunnerService/Register": {
    takes: () => ({
      ...{ name: field(1, "string"), token: field(2, "string"), version: field(5, "string") },
      ...{ labels: many(6, "string"), ephemeral: field(7, "bool"), capabilities: many(8, "string") },
    }),
    answers: () => ({ runner: field(1, runner) }),
  },
  "runner.v1.RunnerService/Declare": {
    takes: () => ({ version: field(1, "string"), labels: many(2, "string") }),
    answers: () => ({ runner: field(1, runner) }),
  },
  "runner.v1.RunnerService/FetchTask": {
    takes: () => ({ tasksVersion: field(1, "number") }),
    answers: () => ({ task: field(1, task), tasksVersion: field(2, "number") }),
  },
  "runner.v1.RunnerService/UpdateTask": {
    takes: () => ({ state: field(1, state), outputs: map(2, "string") }),
    answers: () => ({ state: field(1, state), sentOutputs: many(2, "string") }),
  },
  "runner.v1.RunnerService/UpdateLog": {
    takes: () => ({
      ...{ taskId: field(1, "number"), index: field(2, "number"), rows: many(3, row) },
      noMore: field(4, "bool"),
    }),
    answers: () => ({ ackIndex: field(1, "number") }),
  },
} satisfies Readonly<Record<string, { readonly takes: Shape; readonly answers: Shape }>>;
export type MethodName = keyof typeof methods;
