import { isObjectId, type ObjectFormat, zeroId } from "../object/object-format.ts";
import type { RefChange } from "../refs/check-changes.ts";
import { decodeRefName } from "../refs/ref-name.ts";
import { receivePackCapabilities } from "./advertise.ts";
import { type Capabilities, checkObjectFormat, checkOffered, parseCapabilities } from "./capabilities.ts";
import { lineOf, type PacketReader } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Most refs of one push. */
export const mostCommands = 50_000;

/** What a push asks for. `problem` is set when it can't be done at all, whatever the refs. */
export interface ReceiveCommands {
  readonly changes: readonly RefChange[];
  readonly capabilities: Capabilities;
  readonly problem?: string;
}

const offered = new Set<string>([...receivePackCapabilities, "object-format", "agent"]);

/**
 * Reads the commands up to their flush packet. What is wrong with them is a `problem`, so that it can be reported in
 * the way the client asked for. Throws ProtocolError only when the request is not in the pkt-line format.
 */
export async function readCommands(reader: PacketReader, format: ObjectFormat): Promise<ReceiveCommands> {
  const changes: RefChange[] = [];
  let capabilities: Capabilities | undefined;
  let problem: string | undefined;
  for (let count = 0; ; count++) {
    const packet = await reader.read();
    if (packet?.kind === "flush" || (packet === undefined && count === 0)) break;
    if (packet?.kind !== "data") throw new ProtocolError("the push has no end of its commands");
    if (count >= mostCommands) {
      problem = `more than ${mostCommands} refs in one push; push them in parts`;
      if (count >= mostCommands * 10) throw new ProtocolError(problem);
      continue;
    }
    const line = splitCapabilities(packet.payload, capabilities === undefined);
    capabilities ??= line.capabilities;
    try {
      if (count === 0) checkCapabilities(capabilities, format);
      changes.push(parseCommand(line.command, format));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      problem ??= error.message;
    }
  }
  return { changes, capabilities: capabilities ?? new Map(), ...(problem !== undefined && { problem }) };
}

function splitCapabilities(
  payload: Buffer,
  isFirst: boolean,
): { command: string; capabilities: Capabilities } {
  const line = lineOf(payload);
  const end = isFirst ? line.indexOf("\0") : -1;
  if (end < 0) return { command: line, capabilities: new Map() };
  return { command: line.slice(0, end), capabilities: parseCapabilities(line.slice(end + 1)) };
}

function checkCapabilities(capabilities: Capabilities, format: ObjectFormat): void {
  checkObjectFormat(capabilities.get("object-format"), format);
  checkOffered(capabilities, offered);
}

function parseCommand(command: string, format: ObjectFormat): RefChange {
  if (command.startsWith("shallow "))
    throw new ProtocolError("pushes from shallow clones are not taken here");
  if (command.startsWith("push-cert")) throw new ProtocolError("signed pushes are not taken here");
  const [old = "", id = ""] = command.split(" ", 2);
  const name = command.slice(old.length + id.length + 2);
  if (!isObjectId(format, old) || !isObjectId(format, id) || name === "") {
    throw new ProtocolError(`malformed command "${command.slice(0, 80)}"`);
  }
  const zero = zeroId(format);
  return {
    name: decodeRefName(Buffer.from(name, "latin1")),
    ...(old !== zero && { old }),
    ...(id !== zero && { new: id }),
  };
}
