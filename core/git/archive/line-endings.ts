import { manySteps } from "../../concurrency/pacer.ts";
import { isBinary } from "../diff/file-content.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { Pace } from "../pack/entry-builder.ts";
import type { Attributes } from "./attributes.ts";
import { replaceParts } from "./replace-parts.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const dollar = 0x24;
const colon = 0x3a;

/** A file's content as a checkout would write it, by its attributes `text`, `eol` and `ident` (gitattributes). */
export async function asCheckedOut(
  content: Buffer,
  attributes: Attributes,
  id: ObjectId,
  pace: Pace,
): Promise<Buffer> {
  const named = attributes.get("ident") === true ? await withIdent(content, id, pace) : content;
  const endings = lineEndings(attributes);
  return endings === "as-stored" ? named : withCarriageReturns(named, endings === "crlf-if-text", pace);
}

/** Only `eol=crlf` changes the stored content; `text=auto` looks at the content first, and `-text` says no. */
function lineEndings(attributes: Attributes): "as-stored" | "crlf" | "crlf-if-text" {
  const text = attributes.get("text") ?? attributes.get("crlf");
  if (text === false || text === "input" || attributes.get("eol") !== "crlf") return "as-stored";
  return text === "auto" ? "crlf-if-text" : "crlf";
}

const pieceBytes = 256 * 1024;

/** The bounds of a content's pieces; others run in between. */
async function* piecesOf(content: Buffer, pace: Pace): AsyncGenerator<readonly [from: number, to: number]> {
  for (let from = 0; from < content.length; from += pieceBytes) {
    yield [from, Math.min(content.length, from + pieceBytes)];
    const pause = pace(manySteps);
    if (pause !== undefined) await pause;
  }
}

async function withCarriageReturns(content: Buffer, isGuess: boolean, pace: Pace): Promise<Buffer> {
  let lone = 0;
  for await (const [from, to] of piecesOf(content, pace)) lone += loneLineFeeds(content, from, to);
  if (lone === 0) return content;
  if (isGuess && (content.includes(carriageReturn) || isBinary(content))) return content;
  if (isGuess && (await isMostlyUnprintable(content, pace))) return content;
  const converted = Buffer.allocUnsafe(content.length + lone);
  let at = 0;
  for await (const [first, to] of piecesOf(content, pace)) {
    for (let from = first; from < to; from++) {
      if (content[from] === lineFeed && content[from - 1] !== carriageReturn)
        converted[at++] = carriageReturn;
      converted[at++] = content[from] as number;
    }
  }
  return converted;
}

function loneLineFeeds(content: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    if (content[at] === lineFeed && content[at - 1] !== carriageReturn) count += 1;
  }
  return count;
}

/** Git's guess: a NUL, or more than one control character for 128 others. */
async function isMostlyUnprintable(content: Buffer, pace: Pace): Promise<boolean> {
  let [printable, others] = [0, 0];
  for await (const [from, to] of piecesOf(content, pace)) {
    for (let at = from; at < to; at += 1) {
      const kind = kinds[content[at] as number];
      if (kind === 0) return true;
      if (kind === 1) printable += 1;
      else if (kind === 2 && !(content[at] === 0x1a && at === content.length - 1)) others += 1;
    }
  }
  return printable >> 7 < others;
}

/** Of each byte: 0 what no text has, 1 what can be printed, 2 what can't, 3 what does not count. */
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0) return 0;
  if (byte === lineFeed) return 3;
  if (byte === 0x7f) return 2;
  return byte >= 0x20 || [0x08, 0x09, 0x1b, 0x0c].includes(byte) ? 1 : 2;
});

const identStart = Buffer.from("$Id");

/** Puts the blob's id into `$Id$` and `$Id: …$`; one with inner spaces belongs to another tool and stays. */
function withIdent(content: Buffer, id: ObjectId, pace: Pace): Promise<Buffer> {
  const named = Buffer.from(`$Id: ${id} $`);
  const find = (from: number) => {
    const at = content.indexOf(identStart, from);
    if (at < 0) return undefined;
    const after = at + identStart.length;
    if (content[after] === dollar) return { at, end: after + 1, text: named };
    const end = content[after] === colon ? content.indexOf(dollar, after) : after;
    if (end < 0) return undefined;
    const isIdent = content[after] === colon && !content.subarray(after, end).includes(lineFeed);
    return isIdent && !isForeign(content.toString("latin1", after + 1, end))
      ? { at, end: end + 1, text: named }
      : { at, end: isIdent ? end + 1 : after, text: undefined };
  };
  return replaceParts(content, find, pace);
}

function isForeign(inside: string): boolean {
  const space = inside.indexOf(" ", 1);
  return space >= 0 && space < inside.length - 1;
}
