import type { ObjectType } from "../../format/object-type.ts";

/**
 * What a partial clone leaves out: an object is sent when it meets all of this, or when its id was asked for. Every
 * filter on offer, and any combination, comes down to these three.
 */
export interface ObjectFilter {
  /** Blobs of this many bytes and more are left out; 0 for all blobs. */
  readonly blobBytes: number;
  /** Trees and blobs this far below a commit are left out; a commit's own tree is at 0. */
  readonly treeDepth: number;
  readonly types: ReadonlySet<ObjectType>;
}

const everything: ObjectFilter = {
  blobBytes: Number.POSITIVE_INFINITY,
  treeDepth: Number.POSITIVE_INFINITY,
  types: new Set(["commit", "tree", "blob", "tag"]),
};

/** Longest filter taken, and how deep combinations may nest. */
const mostCharacters = 4_000;
const mostNesting = 8;

/** A filter of `git clone --filter`; a text says why it is refused. */
export function parseFilter(spec: string): ObjectFilter | { readonly problem: string } {
  if (spec.length > mostCharacters) return { problem: "the filter is too long" };
  try {
    return parsePart(spec, 0);
  } catch (error) {
    if (error instanceof BadFilter) return { problem: error.message };
    throw error;
  }
}

class BadFilter extends Error {}

function parsePart(spec: string, nesting: number): ObjectFilter {
  if (spec === "blob:none") return { ...everything, blobBytes: 0 };
  const [, kind, value] = /^(blob:limit=|tree:|object:type=|combine:|sparse:)(.*)$/s.exec(spec) ?? [];
  if (kind === undefined || value === undefined) throw invalid(spec);
  if (kind === "blob:limit=") return { ...everything, blobBytes: parseSize(spec, value) };
  if (kind === "tree:") return { ...everything, treeDepth: parseSize(spec, value) };
  if (kind === "object:type=") return { ...everything, types: new Set([parseType(value)]) };
  if (kind === "combine:") return combine(value, nesting);
  throw new BadFilter("filters by sparse checkout (sparse:) are not offered here; use blob:none or tree:0");
}

const invalid = (spec: string): BadFilter => new BadFilter(`invalid filter-spec '${spec.slice(0, 80)}'`);

const units: Readonly<Record<string, number>> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** A whole number with git's units. */
function parseSize(spec: string, value: string): number {
  const [, digits, unit] = /^([0-9]{1,15})([kmg]?)$/i.exec(value) ?? [];
  if (digits === undefined) throw invalid(spec);
  return Number(digits) * (units[(unit ?? "").toLowerCase()] ?? 1);
}

function parseType(value: string): ObjectType {
  if (!everything.types.has(value as ObjectType)) {
    throw new BadFilter(`'${value.slice(0, 80)}' for 'object:type=<type>' is not a valid object type`);
  }
  return value as ObjectType;
}

function combine(value: string, nesting: number): ObjectFilter {
  if (nesting >= mostNesting) throw new BadFilter("the filter nests combinations too deeply");
  const parts = value.split("+").map((part) => parsePart(decoded(part), nesting + 1));
  return parts.reduce((all, part) => ({
    blobBytes: Math.min(all.blobBytes, part.blobBytes),
    treeDepth: Math.min(all.treeDepth, part.treeDepth),
    types: new Set([...all.types].filter((type) => part.types.has(type))),
  }));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid(part);
  }
}
