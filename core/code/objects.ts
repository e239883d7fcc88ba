import { badRequest, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { isObjectId, type ObjectId } from "../git/format/object-format.ts";
import type { ObjectType } from "../git/format/object-type.ts";
import { parseTag, type Tag, tagMessage, tagSignature } from "../git/format/tag.ts";
import { directoryMode } from "../git/format/tree.ts";
import { findRevision } from "../git/history/revision.ts";
import { findEntry } from "../git/history/tree-entry.ts";
import { compareRefNames, tagPrefix } from "../git/refs/ref-name.ts";
import type { RefEntry } from "../git/refs/ref-table.ts";
import { mostBytesTogether, shownContentFactor } from "./contents.ts";
import { cleanPath, rawPath } from "./internal/path.ts";
import type { Code } from "./open.ts";
import { type Verification, verifySigned } from "./verification.ts";

/**
 * The tree that an id, a ref, or a commit leads to, or a folder of it: `main:docs/guide`, as git and site editors write
 * it. BadRequest when there is no such tree, NotFound when it has no such folder.
 */
export async function getTree(code: Code, text: string): Promise<ObjectId> {
  const [, name = text, folder = ""] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  const found = await findRevision(code.history, code.repository, name, "tree");
  if (found.kind !== "found") throw badRequest(`there is no such tree [sha: ${text}]`);
  const path = cleanPath(folder);
  if (path === "") return found.id;
  const entry = await findEntry(code.history, found.id, rawPath(path));
  if (entry?.mode !== directoryMode) throw notFound(`there is no such folder [path: ${path}]`);
  return entry.id;
}

/** A file's content by its id; without `data` when it is too large to show. */
export interface Blob {
  readonly id: ObjectId;
  readonly size: number;
  readonly data?: Buffer;
}

/** How many bytes a ref takes in an answer, and while it is made. */
const shownRefBytes = 1_500;

/** Larger contents are not shown in JSON (semantics §36.1). */
const largestShownBlob = 10 * 2 ** 20;

/** A blob by its whole id. BadRequest when there is none. */
export async function getBlob(code: Code, text: string): Promise<Blob> {
  const [blob] = await readBlobs(code, [text], largestShownBlob);
  return blob as Blob;
}

/** Blobs by their whole ids; their contents together end at 4 MiB (D-BIGBODY). BadRequest when there is none such. */
export const getBlobs = (code: Code, texts: readonly string[]): Promise<Blob[]> =>
  readBlobs(code, texts, mostBytesTogether);

async function readBlobs(code: Code, texts: readonly string[], mostBytes: number): Promise<Blob[]> {
  const ids = texts.map((text) => idOfType(code, text, "blob"));
  let left = mostBytes;
  const places = ids.map((id) => {
    const size = code.history.sizeOf(id);
    const isShown = size <= left;
    if (isShown) left -= size;
    return { id, size, isShown };
  });
  await code.reserve(shownContentFactor * (mostBytes - left));
  const blobs: Blob[] = [];
  for (const { id, size, isShown } of places) {
    blobs.push({ id, size, ...(isShown ? { data: (await code.history.object(id)).data } : {}) });
  }
  return blobs;
}

function idOfType({ history }: Code, text: string, type: ObjectType): ObjectId {
  const id = text.toLowerCase();
  const place = isObjectId(history.format, id) ? history.packs.find(id) : undefined;
  if (place === undefined || history.packs.typeOf(place) !== type) {
    throw badRequest(`there is no such ${type} [sha: ${text}]`);
  }
  return id;
}

/** An annotated tag with the result for its signature. */
export interface AnnotatedTag {
  readonly id: ObjectId;
  readonly tag: Tag;
  readonly message: string;
  readonly verification: Verification;
}

/** An annotated tag by the id of its object. BadRequest when there is none. */
export async function getAnnotatedTag(forge: Forge, code: Code, text: string): Promise<AnnotatedTag> {
  return readTag(forge, code, idOfType(code, text, "tag"));
}

/** The same, of an id that is known to be a tag's. */
export async function readTag(forge: Forge, code: Code, id: ObjectId): Promise<AnnotatedTag> {
  const { data } = await code.history.object(id);
  const tag = parseTag(data);
  const { text: message } = tagMessage(tag);
  const signed = tagSignature(data);
  const email = tag.tagger?.email ?? "";
  const [verification] = await verifySigned(forge, [signed === undefined ? undefined : { ...signed, email }]);
  if (verification === undefined) throw new Error(`the signature of ${id} was not judged`);
  return { id, tag, message, verification };
}

/** A ref, with the kind of object it points at. */
export interface KnownRef {
  readonly name: string;
  readonly id: ObjectId;
  readonly type: ObjectType;
}

/** Refs whose names begin with `refs/` and this, in the order of their names. */
export async function listRefs(code: Code, prefix: string): Promise<KnownRef[]> {
  const { packs } = code.history;
  const refs = code.repository.refs.list(`refs/${prefix}`);
  await code.reserve(refs.length * shownRefBytes);
  const known: KnownRef[] = [];
  for (const { name, id } of refs) {
    const place = packs.find(id);
    known.push({ name, id, type: place === undefined ? "commit" : packs.typeOf(place) });
    await code.history.pace();
  }
  return known;
}

/** Tags, newest first by the tagger's date, or the commit's for lightweight tags; then by name. */
export async function tagsByDate(code: Code): Promise<readonly RefEntry[]> {
  const entries = code.repository.refs.list(tagPrefix);
  const { history } = code;
  await history.fetch(entries.map(({ id }) => id));
  const dates = new Map<string, number>();
  for (const { name, id } of entries) dates.set(name, await dateOf(code, id));
  return [...entries].sort(
    (one, other) =>
      (dates.get(other.name) ?? 0) - (dates.get(one.name) ?? 0) || compareRefNames(one.name, other.name),
  );
}

/** The date of a tag; 0 for objects that are neither tag nor commit. */
async function dateOf({ history }: Code, id: ObjectId): Promise<number> {
  const place = history.packs.find(id);
  const type = place === undefined ? undefined : history.packs.typeOf(place);
  if (type === "commit") return (await history.links(id)).seconds;
  if (type !== "tag") return 0;
  const tag = parseTag((await history.object(id)).data);
  return tag.tagger?.seconds ?? (tag.type === "commit" ? (await history.links(tag.object)).seconds : 0);
}
