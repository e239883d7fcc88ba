import { fromBinary, fromJson, type JsonValue } from "@bufbuild/protobuf";
import type { EncodedMessage } from "./decode-task.ts";
import { descriptorOf } from "./descriptors.ts";

/** Rows of a log that are taken from one request. */
export const mostRows = 20_000;
/** Steps that a task is told to have. */
const mostSteps = 1_000;
/** Outputs that are looked at: fewer are kept. */
const mostOutputs = 1_000;

/** The fields of a message; none when the bytes are none such. */
export function decodeMessage({ name, bytes, encoding }: EncodedMessage): { readonly fields?: object } {
  const descriptor = descriptorOf(name);
  try {
    if (encoding === "application/proto") {
      return { fields: bounded(fromBinary(descriptor, bytes, { readUnknownFields: false })) };
    }
    const json = JSON.parse(bytes.toString("utf8") || "{}") as JsonValue;
    return { fields: bounded(fromJson(descriptor, json, { ignoreUnknownFields: true })) };
  } catch {
    return {}; // whatever is wrong with it: its sender made it
  }
}

/** What of a report is worked on. A log goes on with the row after the last that was taken: its runner sends it again. */
function bounded(fields: object): object {
  const { rows, state, outputs } = fields as Partial<Report>;
  if (rows !== undefined && rows.length > mostRows) {
    return { ...fields, rows: rows.slice(0, mostRows), noMore: false };
  }
  return {
    ...fields,
    ...(state?.steps && { state: { ...state, steps: state.steps.slice(0, mostSteps) } }),
    ...(outputs && { outputs: Object.fromEntries(Object.entries(outputs).slice(0, mostOutputs)) }),
  };
}

interface Report {
  readonly rows: readonly object[];
  readonly state: { readonly steps: readonly object[] };
  readonly outputs: Readonly<Record<string, string>>;
}
