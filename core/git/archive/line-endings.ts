import { isBinary } from "../diff/file-content.ts";
import type { ObjectId } from "../object/object-format.ts";
import type { Attributes } from "./attributes.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A file's content as a checkout would write it by its attributes `text`, `eol` and `ident` (gitattributes). */
export function asCheckedOut(content: Buffer, attributes: Attributes, id: ObjectId): Buffer {
  const named = attributes.get("ident") === true ? withIdent(content, id) : content;
  const endings = lineEndings(attributes);
  return endings === "as-stored" ? named : withCarriageReturns(named, endings === "crlf-if-text");
}

/** Only `eol=crlf` changes what is stored; `text=auto` lets it look at the content first, and `-text` says no. */
function lineEndings(attributes: Attributes): "as-stored" | "crlf" | "crlf-if-text" {
  const text = attributes.get("text") ?? attributes.get("crlf");
  if (text === false || text === "input" || attributes.get("eol") !== "crlf") return "as-stored";
  return text === "auto" ? "crlf-if-text" : "crlf";
}

function withCarriageReturns(content: Buffer, isGuess: boolean): Buffer {
  const lone = loneLineFeeds(content);
  if (lone === 0) return content;
  if (isGuess && (content.includes(carriageReturn) || isBinary(content) || isMostlyUnprintable(content))) {
    return content;
  }
  const converted = Buffer.allocUnsafe(content.length + lone);
  let at = 0;
  for (let from = 0; from < content.length; from++) {
    if (content[from] === lineFeed && content[from - 1] !== carriageReturn) converted[at++] = carriageReturn;
    converted[at++] = content[from] as number;
  }
  return converted;
}

function loneLineFeeds(content: Buffer): number {
  let count = 0;
  for (let at = content.indexOf(lineFeed); at >= 0; at = content.indexOf(lineFeed, at + 1)) {
    if (content[at - 1] !== carriageReturn) count += 1;
  }
  return count;
}

/** Git's guess: a NUL, or more than one control character for 128 others. */
function isMostlyUnprintable(content: Buffer): boolean {
  let [printable, others] = [0, 0];
  for (const [at, byte] of content.entries()) {
    if (byte === 0) return true;
    if (byte === lineFeed) continue;
    if (byte === 0x7f) others += 1;
    else if (byte >= 0x20 || [0x08, 0x09, 0x1b, 0x0c].includes(byte)) printable += 1;
    else if (byte !== 0x1a || at !== content.length - 1) others += 1;
  }
  return printable >> 7 < others;
}

const identStart = Buffer.from("$Id");

/** Puts the blob's id into `$Id$` and `$Id: …$`; one with spaces in the middle is another tool's and stays. */
function withIdent(content: Buffer, id: ObjectId): Buffer {
  if (!content.includes(identStart)) return content;
  const text = content.toString("latin1");
  const replaced = text.replace(/\$Id(?:\$|:[^\n$]*\$)/g, (whole) => {
    const inside = whole.slice(4, -1);
    const isForeign = inside.indexOf(" ", 1) >= 0 && inside.indexOf(" ", 1) < inside.length - 1;
    return isForeign ? whole : `$Id: ${id} $`;
  });
  return Buffer.from(replaced, "latin1");
}
