import { defined } from "../../defined.ts";
import { isObjectId, type ObjectFormat, type ObjectId, zeroId } from "../format/object-format.ts";
import type { RefChange } from "../refs/check-changes.ts";
import { decodeRefName } from "../refs/ref-name.ts";
import { receivePackCapabilities } from "./advertise.ts";
import { type Capabilities, checkObjectFormat, checkOffered, parseCapabilities } from "./capabilities.ts";
import { lineOf, type PacketReader } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";
import { readPushOptions } from "./push-options.ts";

/** The most refs of one push when the caller names no bound. */
const defaultMostCommands = 50_000;
/** The most bytes of commands that are read at all, that are kept, and of a single command (its name: 4 KB). */
const mostBytesRead = 64 * 2 ** 20;
const mostBytesKept = 16 * 2 ** 20;
/** A packet counts for at least this many of the bytes read. */
const leastPacketBytes = 64;
/** Refused commands after which no more are looked at. */
const mostProblems = 100;
const shallowWord = "shallow ";
const longestCommand = 4096 + 2 * 64 + 2;

/** The commands of a push. `problem` is set when it can't be done at all, whatever the refs. */
export interface ReceiveCommands {
  readonly changes: readonly RefChange[];
  readonly capabilities: Capabilities;
  /** Commits whose parents the client does not have, because it pushes from a shallow clone. */
  readonly shallow: readonly ObjectId[];
  /** Words for the code that judges and follows pushes (`git push -o`). */
  readonly pushOptions: readonly string[];
  readonly problem?: string;
}

/** How many commands are read, and a function that hears of each kept one. */
export interface CommandBounds {
  readonly mostChanges?: number;
  /** Throws when there is no room for so many bytes more. */
  keep?(bytes: number): void;
}

const offered = new Set<string>([...receivePackCapabilities, "object-format", "agent"]);

/**
 * Reads the commands up to their flush packet. A fault in them is a `problem`, so that it can be reported in the form
 * the client asked for; `changes` are then those that fit the bounds. Throws ProtocolError only when the request is not
 * in the pkt-line format, or has no end.
 */
export async function readCommands(
  reader: PacketReader,
  format: ObjectFormat,
  { mostChanges = defaultMostCommands, keep }: CommandBounds = {},
): Promise<ReceiveCommands> {
  const commands = new CommandList(format, mostChanges, keep);
  let bytesRead = 0;
  for (let count = 0; ; count++) {
    const packet = await reader.read();
    if (packet?.kind === "flush" || (packet === undefined && count === 0)) break;
    if (packet?.kind !== "data") throw new ProtocolError("the push has no end of its commands");
    bytesRead += Math.max(packet.payload.length, leastPacketBytes);
    if (bytesRead > mostBytesRead) throw new ProtocolError("the commands of the push have no end");
    commands.add(packet.payload);
  }
  const read = commands.finish();
  if (!read.capabilities.has("push-options")) return read;
  const given = await readPushOptions(reader);
  if ("options" in given) return { ...read, pushOptions: given.options };
  return { ...read, problem: read.problem ?? given.problem };
}

/** The commands of one push, kept within bounds. */
class CommandList {
  readonly #format: ObjectFormat;
  readonly #mostCommands: number;
  readonly #tellKept: CommandBounds["keep"];
  readonly #changes: RefChange[] = [];
  readonly #shallow: ObjectId[] = [];
  #capabilities: Capabilities | undefined;
  #bytesKept = 0;
  #problem: string | undefined;
  #problems = 0;

  constructor(format: ObjectFormat, mostCommands: number, keep: CommandBounds["keep"]) {
    this.#format = format;
    this.#tellKept = keep;
    this.#mostCommands = mostCommands;
  }

  add(payload: Buffer): void {
    if (this.#problems === mostProblems) return;
    try {
      this.#take(payload);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#problems += 1;
      this.#problem ??= error.message;
    }
  }

  #take(payload: Buffer): void {
    if (payload.indexOf(shallowWord) === 0) {
      this.#takeShallow(payload);
      return;
    }
    let command = payload;
    if (this.#capabilities === undefined) {
      const split = splitCapabilities(payload);
      command = split.command;
      this.#capabilities = split.capabilities;
      checkObjectFormat(this.#capabilities.get("object-format"), this.#format);
      checkOffered(this.#capabilities, offered);
    }
    if (command.length > longestCommand) throw new ProtocolError("a ref name in the push has more than 4 KB");
    this.#keep(command.length);
    if (this.#changes.length >= this.#mostCommands) {
      throw new ProtocolError(`more than ${this.#mostCommands} refs in one push; push them in parts`);
    }
    this.#changes.push(parseCommand(lineOf(command), this.#format));
  }

  #takeShallow(payload: Buffer): void {
    const id = lineOf(payload).slice(shallowWord.length);
    this.#keep(payload.length);
    if (!isObjectId(this.#format, id)) throw new ProtocolError("a malformed shallow line in the push");
    this.#shallow.push(id);
  }

  #keep(bytes: number): void {
    this.#bytesKept += bytes;
    if (this.#bytesKept <= mostBytesKept) this.#tellKept?.(bytes);
    else throw new ProtocolError("the ref names of this push take more than 16 MB; push them in parts");
  }

  finish(): ReceiveCommands {
    return {
      changes: this.#changes,
      shallow: this.#shallow,
      pushOptions: [],
      capabilities: this.#capabilities ?? new Map(),
      ...defined({ problem: this.#problem }),
    };
  }
}

/** The first command, and the capabilities behind its NUL. */
function splitCapabilities(payload: Buffer): { command: Buffer; capabilities: Capabilities } {
  const end = payload.indexOf(0);
  if (end < 0) return { command: payload, capabilities: new Map() };
  return {
    command: payload.subarray(0, end),
    capabilities: parseCapabilities(lineOf(payload.subarray(end + 1))),
  };
}

function parseCommand(command: string, format: ObjectFormat): RefChange {
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
