import type { DescMessage } from "@bufbuild/protobuf";
import { describeProtobuf } from "../protobuf/describe.ts";

/**
 * The messages of the runner protocol (semantics §60.2): each field by its number, as `type name`. `map<T>` has texts
 * for keys; a type in capitals is a message or an enum of this file.
 */
const runnerMessages = {
  Runner: {
    ...{ 1: "int64 id", 2: "string uuid", 3: "string token", 4: "string name", 5: "RunnerStatus status" },
    ...{ 6: "repeated string agent_labels", 7: "repeated string custom_labels", 8: "string version" },
    ...{ 9: "repeated string labels", 10: "bool ephemeral" },
  },
  RegisterRequest: {
    ...{ 1: "string name", 2: "string token", 3: "repeated string agent_labels" },
    ...{ 4: "repeated string custom_labels", 5: "string version", 6: "repeated string labels" },
    ...{ 7: "bool ephemeral", 8: "repeated string capabilities" },
  },
  RegisterResponse: { 1: "Runner runner" },
  DeclareRequest: { 1: "string version", 2: "repeated string labels", 3: "repeated string capabilities" },
  DeclareResponse: { 1: "Runner runner" },
  FetchTaskRequest: { 1: "int64 tasks_version" },
  FetchTaskResponse: { 1: "Task task", 2: "int64 tasks_version" },
  Task: {
    ...{ 1: "int64 id", 2: "bytes workflow_payload", 3: "google.protobuf.Struct context" },
    ...{ 4: "map<string> secrets", 5: "string machine", 6: "map<TaskNeed> needs", 7: "map<string> vars" },
  },
  TaskNeed: { 1: "map<string> outputs", 2: "Result result" },
  UpdateTaskRequest: { 1: "TaskState state", 2: "map<string> outputs" },
  UpdateTaskResponse: { 1: "TaskState state", 2: "repeated string sent_outputs" },
  TaskState: {
    ...{ 1: "int64 id", 2: "Result result", 3: "google.protobuf.Timestamp started_at" },
    ...{ 4: "google.protobuf.Timestamp stopped_at", 5: "repeated StepState steps" },
  },
  StepState: {
    ...{ 1: "int64 id", 2: "Result result", 3: "google.protobuf.Timestamp started_at" },
    ...{ 4: "google.protobuf.Timestamp stopped_at", 5: "int64 log_index", 6: "int64 log_length" },
  },
  UpdateLogRequest: { 1: "int64 task_id", 2: "int64 index", 3: "repeated LogRow rows", 4: "bool no_more" },
  UpdateLogResponse: { 1: "int64 ack_index" },
  LogRow: { 1: "google.protobuf.Timestamp time", 2: "string content" },
} as const;

const runnerEnums = {
  RunnerStatus: ["UNSPECIFIED", "IDLE", "ACTIVE", "OFFLINE"].map((name) => `RUNNER_STATUS_${name}`),
  Result: ["UNSPECIFIED", "SUCCESS", "FAILURE", "CANCELLED", "SKIPPED"].map((name) => `RESULT_${name}`),
};

const pingMessages = { PingRequest: { 1: "string data" }, PingResponse: { 1: "string data" } } as const;

/** A message of the protocol. */
export type MessageName = keyof typeof runnerMessages | keyof typeof pingMessages;

const registries = [
  describeProtobuf({ name: "runner.v1", messages: runnerMessages, enums: runnerEnums }),
  describeProtobuf({ name: "ping.v1", messages: pingMessages }),
];

/** The description of a message, by which it is read and written in both encodings. */
export function descriptorOf(name: MessageName): DescMessage {
  const found = registries
    .map((registry) => registry.getMessage(`${name in pingMessages ? "ping" : "runner"}.v1.${name}`))
    .find((message) => message !== undefined);
  if (found === undefined) throw new TypeError(`the protocol has no message ${name}`);
  return found;
}
