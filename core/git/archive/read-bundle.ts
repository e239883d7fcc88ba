import { isObjectId, type ObjectFormat, type ObjectId } from "../format/object-format.ts";
import { decodeRefName } from "../refs/ref-name.ts";
import type { BundledRef } from "./bundle.ts";

/** What a bundle says before its pack (gitformat-bundle). */
export interface BundleHeader {
  readonly format: ObjectFormat;
  /** Commits that its reader must have: the pack may rest on what they lead to. */
  readonly prerequisites: readonly ObjectId[];
  /** In the order of the bundle; `HEAD` may be among them. */
  readonly refs: readonly BundledRef[];
}

/** A bundle whose header was read; or why these bytes are none that can be taken. */
export type ReadBundle =
  | { readonly header: BundleHeader; readonly pack: AsyncIterable<Uint8Array> }
  | { readonly problem: string };

export interface BundleBounds {
  readonly mostRefs: number;
}

/** A prerequisite comes with the first line of its commit's message. */
const longestLine = 64 * 1024;
const mostHeaderBytes = 32 * 2 ** 20;

/** Reads the header of a bundle of version 2 or 3, and leaves the pack to be read. */
export async function readBundle(
  pieces: AsyncIterable<Uint8Array>,
  { mostRefs }: BundleBounds,
): Promise<ReadBundle> {
  const lines = new HeaderLines(pieces);
  try {
    const header = await readHeader(lines, mostRefs);
    return { header, pack: lines.rest() };
  } catch (error) {
    if (error instanceof BundleError) return { problem: error.message };
    throw error;
  }
}

/** Leaves this file as a value. */
class BundleError extends Error {}

const signature = /^# v([23]) git bundle$/;
const objectFormat = /^@object-format=(sha1|sha256)$/;
const entry = /^(-?)([0-9a-f]+)(?: (.*))?$/s;

async function readHeader(lines: HeaderLines, mostRefs: number): Promise<BundleHeader> {
  const version = signature.exec(await lines.next())?.[1];
  if (version === undefined) {
    throw new BundleError("it is no bundle of version 2 or 3: `git bundle create` makes one");
  }
  let line = await lines.next();
  let format: ObjectFormat = "sha1";
  for (; version === "3" && line.startsWith("@"); line = await lines.next()) format = formatOf(line);
  const prerequisites: ObjectId[] = [];
  const refs: BundledRef[] = [];
  for (; line !== ""; line = await lines.next()) {
    const [, minus, id = "", name] = entry.exec(line) ?? [];
    const isRef = minus === "" && name !== undefined && name !== "";
    if (!isObjectId(format, id) || !(isRef || minus === "-")) {
      throw new BundleError(`its header has a malformed line: "${line.slice(0, 80)}"`);
    }
    if (isRef) refs.push({ name: decodeRefName(Buffer.from(name, "latin1")), id });
    else prerequisites.push(id);
    if (refs.length > mostRefs || prerequisites.length > mostRefs) {
      throw new BundleError(`it names more than ${mostRefs} refs: bring them in several bundles`);
    }
  }
  if (refs.length === 0) throw new BundleError("it names no refs");
  return { format, prerequisites, refs };
}

function formatOf(line: string): ObjectFormat {
  const format = objectFormat.exec(line)?.[1];
  if (format !== undefined) return format as ObjectFormat;
  if (line.startsWith("@filter=")) {
    throw new BundleError("it leaves objects out (a filter): make one without");
  }
  throw new BundleError(`it needs something unknown here: "${line.slice(0, 80)}"`);
}

/** The lines of a header, each as latin1, and then the bytes behind it. */
class HeaderLines {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);
  #bytes = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#source = pieces[Symbol.asyncIterator]();
  }

  async next(): Promise<string> {
    let end = this.#held.indexOf(0x0a);
    for (; end < 0; end = this.#held.indexOf(0x0a)) {
      if (this.#held.length > longestLine) throw new BundleError("its header has a line without an end");
      const piece = await this.#source.next();
      if (piece.done === true)
        throw new BundleError("it ends within its header: it is cut off, or no bundle");
      this.#held = Buffer.concat([this.#held, piece.value]);
    }
    this.#bytes += end + 1;
    if (this.#bytes > mostHeaderBytes) throw new BundleError("its header has no end");
    const line = this.#held.toString("latin1", 0, end);
    this.#held = this.#held.subarray(end + 1);
    return line;
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    if (this.#held.length > 0) yield this.#held;
    for (;;) {
      const piece = await this.#source.next();
      if (piece.done === true) return;
      yield piece.value;
    }
  }
}
