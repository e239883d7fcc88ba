import type { CallersCompute } from "#core/compute/compute";
import { type Task, TaskEnded } from "#core/compute/task";
import type { Encoding } from "./codec.ts";
import { ConnectError } from "./connect-error.ts";
import type { MessageName } from "./descriptors.ts";

/** A message as it came. */
export interface EncodedMessage {
  readonly name: MessageName;
  readonly bytes: Buffer;
  readonly encoding: Encoding;
}

/** Two bytes may be a member: longer messages may take hundreds of milliseconds. */
const smallBytes = 16 * 2 ** 10;

/** Reads a message of the protocol: its fields by their names in camel case, or undefined when the bytes are none such. */
export const decodeMessageTask: Task<EncodedMessage, { readonly fields?: object }> = {
  name: "decode-runner-message",
  deadlineMs: 3_000,
  isSmall: ({ bytes }) => bytes.length <= smallBytes,
  async run(message) {
    const { decodeMessage } = await import("./decode-message.ts");
    return decodeMessage(message);
  },
};

/** The fields of a message, lists of them within bounds. ConnectError when the bytes are none such. */
export async function decode<T>(compute: CallersCompute, message: EncodedMessage): Promise<T> {
  const { fields } = await compute(decodeMessageTask, message).catch((error: unknown) => {
    if (error instanceof TaskEnded && error.reason !== "failed") return { fields: undefined };
    throw error;
  });
  if (fields !== undefined) return fields as T;
  throw new ConnectError("invalid_argument", `the body is no ${message.name} in ${message.encoding}`);
}
