import { isObjectId, type ObjectFormat, type ObjectId } from "../format/object-format.ts";
import type { ForbiddenWant } from "../history/select/hidden-objects.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Most wants and haves of one request. */
export const mostWants = 100_000;
export const mostHaves = 200_000;

/** Why a line of a fetch request is refused. */
export const unexpectedLine = (line: string): ProtocolError =>
  new ProtocolError(`fetch: unexpected line "${line.slice(0, 80)}"`);

/** The id behind the word of a line. Throws ProtocolError when it has not this repository's format. */
export function idOf(
  format: ObjectFormat,
  line: string,
  word: "want" | "have" | "shallow" | "oid",
): ObjectId {
  const id = line.slice(word.length + 1);
  if (isObjectId(format, id)) return id;
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) {
    throw new ProtocolError(`this repository uses ${format} object ids, and the client sends others`);
  }
  throw new ProtocolError(`fetch: malformed line "${line.slice(0, 80)}"`);
}

/** Adds an item within the bound. Throws ProtocolError past it. */
export function addBounded<T>(items: Set<T>, item: T, most: number, what = "objects named"): void {
  items.add(item);
  if (items.size > most) throw new ProtocolError(`more than ${most} ${what} in one request`);
}

/** The words that git clients know when a want is refused. */
export const notOurRef = ({ id, isCertain }: ForbiddenWant): ProtocolError =>
  isCertain ? new ProtocolError(`upload-pack: not our ref ${id}`) : takesLong(id);

/** The bound came before the answer to whether a ref leads to an object. */
export const takesLong = (id: ObjectId): ProtocolError =>
  new ProtocolError(
    `upload-pack: finding out whether a ref leads to ${id} takes long; ask again, or fetch the ref`,
  );
