import type { ObjectFormat } from "../format/object-format.ts";
import type { GitRepository } from "../repository.ts";
import { agent, checkObjectFormat } from "./capabilities.ts";
import { fetchFeatures, fetchV2 } from "./fetch-v2.ts";
import { lsRefs } from "./ls-refs.ts";
import { objectInfo } from "./object-info.ts";
import { dataPacket, flushPacket, lineOf, type PacketReader } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";
import type { UploadPackOptions } from "./upload-pack.ts";

/** The first answer for a v2 client: the server's capabilities, no refs (gitprotocol-v2). */
export function advertiseV2(format: ObjectFormat, sessionId?: string): Buffer[] {
  const fetch = `fetch=${fetchFeatures.join(" ")}`;
  const lines = ["version 2", `agent=${agent}`, "ls-refs=unborn", fetch, "server-option", "object-info"];
  if (sessionId !== undefined) lines.push(`session-id=${sessionId}`);
  return [...[...lines, `object-format=${format}`].map((line) => dataPacket(`${line}\n`)), flushPacket];
}

const mostLines = 400_000;

interface Command {
  readonly name: string;
  readonly lines: readonly string[];
  /** The client's name for this session in its own logs. */
  readonly sessionId: string | undefined;
}

/** Reads one command; undefined when the client has none left. */
async function readCommand(reader: PacketReader, format: ObjectFormat): Promise<Command | undefined> {
  const keys: string[] = [];
  const lines: string[] = [];
  let into = keys;
  for (;;) {
    const packet = await reader.read();
    if (packet === undefined && keys.length === 0) return undefined;
    if (packet === undefined) throw new ProtocolError("the request ends before its flush packet");
    if (packet.kind === "flush") break;
    if (packet.kind === "delimiter" && into === keys) into = lines;
    else if (packet.kind === "data") into.push(lineOf(packet.payload));
    else throw new ProtocolError("unexpected packet between the lines of a command");
    if (keys.length + lines.length > mostLines) throw new ProtocolError("too many lines in one command");
  }
  if (keys.length === 0) return undefined;
  return { ...checkKeys(keys, format), lines };
}

/** The command's name and session, once all of its keys are understood. */
function checkKeys(keys: readonly string[], format: ObjectFormat): Omit<Command, "lines"> {
  let name: string | undefined;
  let sessionId: string | undefined;
  let objectFormat: string | undefined;
  for (const key of keys) {
    const [word = "", value = ""] = splitAtEquals(key);
    if (word === "command") name = value;
    else if (word === "object-format") objectFormat = value;
    else if (word === "session-id") sessionId = value;
    else if (word !== "agent" && word !== "server-option") {
      throw new ProtocolError(`this server does not offer the capability "${word.slice(0, 80)}"`);
    }
  }
  if (name === undefined) throw new ProtocolError("the request names no command");
  checkObjectFormat(objectFormat, format);
  return { name, sessionId };
}

function splitAtEquals(text: string): [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Answers the commands of one v2 request. */
export async function* uploadPackV2(
  repository: GitRepository,
  reader: PacketReader,
  options: UploadPackOptions,
): AsyncGenerator<Uint8Array> {
  const { format } = repository;
  for (;;) {
    const command = await readCommand(reader, format);
    if (command === undefined) return;
    if (command.sessionId !== undefined) options.onSession?.(command.sessionId);
    if (command.name === "ls-refs") yield lsRefs(repository, command.lines);
    else if (command.name === "fetch") yield* fetchV2(repository, command.lines, options);
    else if (command.name === "object-info") yield* objectInfo(repository, command.lines, options.signal);
    else throw new ProtocolError(`this server does not know the command "${command.name.slice(0, 80)}"`);
  }
}
