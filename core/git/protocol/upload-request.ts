import { isObjectId, type ObjectFormat, type ObjectId } from "../object/object-format.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Most wants and haves of one request. */
export const mostWants = 100_000;
export const mostHaves = 200_000;

const notOffered: readonly [RegExp, string][] = [
  [/^(shallow|deepen|deepen-since|deepen-not|deepen-relative)\b/, "shallow fetches are not offered here"],
  [/^filter\b/, "partial clones are not offered here"],
  [/^want-ref\b/, "fetching by ref name is not offered here"],
];

/** Why a line of a fetch request is refused. */
export function unexpectedLine(line: string): ProtocolError {
  const known = notOffered.find(([pattern]) => pattern.test(line))?.[1];
  return new ProtocolError(known ?? `fetch: unexpected line "${line.slice(0, 80)}"`);
}

/** The id of a `want` or `have` line. Throws ProtocolError when it is none of this repository's format. */
export function idOf(format: ObjectFormat, line: string, word: "want" | "have"): ObjectId {
  const id = line.slice(word.length + 1);
  if (isObjectId(format, id)) return id;
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) {
    throw new ProtocolError(`this repository uses ${format} object ids, and the client sends others`);
  }
  throw new ProtocolError(`fetch: malformed line "${line.slice(0, 80)}"`);
}

/** Adds an id within the bound. Throws ProtocolError past it. */
export function addBounded(ids: Set<ObjectId>, id: ObjectId, most: number): void {
  ids.add(id);
  if (ids.size > most) throw new ProtocolError(`more than ${most} objects named in one request`);
}

/** The words that git clients know when a want is refused. */
export const notOurRef = (id: ObjectId): ProtocolError => new ProtocolError(`upload-pack: not our ref ${id}`);
