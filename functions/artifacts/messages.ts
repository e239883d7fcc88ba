import { create, type DescMessage, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { badRequest } from "#core/errors";
import { describeProtobuf } from "../protobuf/describe.ts";

const idsAndName = {
  ...{ 1: "string workflow_run_backend_id", 2: "string workflow_job_run_backend_id", 3: "string name" },
};

/** The messages of the service of artifacts, version 4 (semantics §62.2). `digest` is newer than the description there. */
const messages = {
  CreateArtifactRequest: { ...idsAndName, 4: "google.protobuf.Timestamp expires_at", 5: "int32 version" },
  CreateArtifactResponse: { 1: "bool ok", 2: "string signed_upload_url" },
  FinalizeArtifactRequest: { ...idsAndName, 4: "int64 size", 5: "google.protobuf.StringValue hash" },
  FinalizeArtifactResponse: { 1: "bool ok", 2: "int64 artifact_id" },
  ListArtifactsRequest: {
    ...{ 1: "string workflow_run_backend_id", 2: "string workflow_job_run_backend_id" },
    ...{ 3: "google.protobuf.StringValue name_filter", 4: "google.protobuf.Int64Value id_filter" },
  },
  ListArtifactsResponse: { 1: "repeated ListedArtifact artifacts" },
  ListedArtifact: {
    ...{
      1: "string workflow_run_backend_id",
      2: "string workflow_job_run_backend_id",
      3: "int64 database_id",
    },
    ...{ 4: "string name", 5: "int64 size", 6: "google.protobuf.Timestamp created_at" },
    7: "google.protobuf.StringValue digest",
  },
  GetSignedArtifactURLRequest: idsAndName,
  GetSignedArtifactURLResponse: { 1: "string signed_url" },
  DeleteArtifactRequest: idsAndName,
  DeleteArtifactResponse: { 1: "bool ok", 2: "int64 artifact_id" },
} as const;
export type MessageName = keyof typeof messages;

const packageName = "github.actions.results.api.v1";
const registry = describeProtobuf({ name: packageName, messages });

function descriptorOf(name: MessageName): DescMessage {
  const found = registry.getMessage(`${packageName}.${name}`);
  if (found === undefined) throw new TypeError(`the protocol has no message ${name}`);
  return found;
}

/** The members of a message in JSON, in either spelling of their names. BadRequest for what is none. */
export function readMessage<T>(name: MessageName, bytes: Buffer): T {
  try {
    const json = JSON.parse(bytes.toString("utf8")) as JsonValue;
    return fromJson(descriptorOf(name), json, { ignoreUnknownFields: true }) as unknown as T;
  } catch {
    throw badRequest(`the body is no ${name} in JSON`);
  }
}

/** A message in JSON: numbers of 64 bits are texts. */
export const writeMessage = (name: MessageName, members: object): JsonValue =>
  toJson(descriptorOf(name), create(descriptorOf(name), members as never)) as JsonValue;
