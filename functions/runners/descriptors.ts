import { create, createFileRegistry, type DescMessage, type FileRegistry } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
} from "@bufbuild/protobuf/wkt";

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

type Fields = Readonly<Record<number, string>>;
const scalars: Readonly<Record<string, FieldDescriptorProto_Type>> = {
  string: FieldDescriptorProto_Type.STRING,
  bytes: FieldDescriptorProto_Type.BYTES,
  int64: FieldDescriptorProto_Type.INT64,
  bool: FieldDescriptorProto_Type.BOOL,
};

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase());

function fieldOf(
  pack: string,
  number: number,
  name: string,
  type: string,
  label: FieldDescriptorProto_Label,
) {
  const isNamed = scalars[type] === undefined;
  const named = type in runnerEnums ? FieldDescriptorProto_Type.ENUM : FieldDescriptorProto_Type.MESSAGE;
  const typeName = type.startsWith("google.") ? `.${type}` : `.${pack}.${type}`;
  return create(FieldDescriptorProtoSchema, {
    ...{ number, name, label, jsonName: camelCase(name), type: scalars[type] ?? named },
    ...(isNamed ? { typeName } : {}),
  });
}

function messageOf(pack: string, name: string, fields: Fields): DescriptorProto {
  const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label;
  const message = create(DescriptorProtoSchema, { name });
  for (const [number, text] of Object.entries(fields)) {
    const [, repeated, value = "", type = "", field = ""] =
      /^(?:(repeated) )?(?:map<([\w.]+)>|([\w.]+)) (\w+)$/.exec(text) ?? [];
    if (value === "") {
      message.field.push(fieldOf(pack, Number(number), field, type, repeated ? REPEATED : OPTIONAL));
      continue;
    }
    const entry = `${capitalized(field)}Entry`;
    message.nestedType.push(mapEntry(pack, entry, value));
    message.field.push(fieldOf(pack, Number(number), field, `${name}.${entry}`, REPEATED));
  }
  return message;
}

function mapEntry(pack: string, name: string, type: string): DescriptorProto {
  const { OPTIONAL } = FieldDescriptorProto_Label;
  const field: FieldDescriptorProto[] = [
    fieldOf(pack, 1, "key", "string", OPTIONAL),
    fieldOf(pack, 2, "value", type, OPTIONAL),
  ];
  return create(DescriptorProtoSchema, { name, field, options: { mapEntry: true } });
}

function fileOf(
  pack: string,
  messages: Readonly<Record<string, Fields>>,
  enums: Readonly<Record<string, readonly string[]>>,
): FileDescriptorProto {
  return create(FileDescriptorProtoSchema, {
    ...{ name: `${pack.replace(".", "/")}/messages.proto`, package: pack, syntax: "proto3" },
    dependency: [file_google_protobuf_struct, file_google_protobuf_timestamp].map(({ proto }) => proto.name),
    messageType: Object.entries(messages).map(([name, fields]) => messageOf(pack, name, fields)),
    enumType: Object.entries(enums).map(([name, values]) => ({
      name,
      value: values.map((value, number) => ({ name: value, number })),
    })),
  });
}

const known = [file_google_protobuf_struct, file_google_protobuf_timestamp];

function registryOf(file: FileDescriptorProto): FileRegistry {
  return createFileRegistry(file, (name) => known.find(({ proto }) => proto.name === name));
}

const registries = [
  registryOf(fileOf("runner.v1", runnerMessages, runnerEnums)),
  registryOf(fileOf("ping.v1", pingMessages, {})),
];

/** The description of a message, by which it is read and written in both encodings. */
export function descriptorOf(name: MessageName): DescMessage {
  const found = registries
    .map((registry) => registry.getMessage(`${name in pingMessages ? "ping" : "runner"}.v1.${name}`))
    .find((message) => message !== undefined);
  if (found === undefined) throw new TypeError(`the protocol has no message ${name}`);
  return found;
}
