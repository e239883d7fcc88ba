import type { ObjectId } from "../format/object-format.ts";
import { isObjectId, objectIdLength } from "../format/object-format.ts";
import { type GitObject, isObjectType, type ObjectType } from "../format/object-type.ts";
import { parseTag } from "../format/tag.ts";
import { branchPrefix, tagPrefix } from "../refs/ref-name.ts";
import type { GitRefs } from "../repository.ts";
import type { History } from "./history.ts";
import { idsWithPrefix } from "./short-id.ts";

/** The object of a text. `ambiguous`: a short id of several objects, of which at most 20 are named. */
export type Revision =
  | { readonly kind: "found"; readonly id: ObjectId; readonly type: ObjectType; readonly ref?: string }
  | { readonly kind: "ambiguous"; readonly candidates: readonly ObjectId[] }
  | { readonly kind: "unknown" };

const unknown: Revision = { kind: "unknown" };
const longestText = 1_024;
const mostSteps = 10_000;
const longestTagChain = 50;
const shortestId = 4;

/**
 * The object of a revision: `HEAD`, a branch, a tag, a full ref name, a whole or short id (of 4 digits or more), and
 * any of `^`, `^2`, `~3`, `^{}`, `^{commit}`, `^{tree}` after it. A branch wins over a tag, and a ref over an id, but a
 * whole id is itself. `as` peels the result, and settles which objects a short id may mean.
 */
export async function findRevision(
  history: History,
  named: GitRefs,
  text: string,
  as?: "commit" | "tree",
): Promise<Revision> {
  if (text === "" || text.length > longestText) return unknown;
  const { base, steps } = splitSteps(text);
  if (steps === undefined) return unknown;
  const wanted = steps.length > 0 && steps[0]?.kind !== "peel" ? "commit" : as;
  let found = await findBase(history, named, base === "" && text.startsWith("@") ? "HEAD" : base, wanted);
  for (const step of steps) {
    if (found.kind !== "found") return found;
    found = await takeStep(history, found.id, step);
  }
  if (as === undefined || found.kind !== "found") return found;
  const peeled = await peel(history, found.id, as);
  return peeled.kind === "found" && found.ref !== undefined ? { ...peeled, ref: found.ref } : peeled;
}

type Step =
  | { readonly kind: "parent"; readonly number: number }
  | { readonly kind: "first-parents"; readonly count: number }
  | { readonly kind: "peel"; readonly type: ObjectType | "any" };

/** Ref names hold neither `^` nor `~`, so the first of them ends the name. */
function splitSteps(text: string): { base: string; steps: Step[] | undefined } {
  const at = text.search(/[\^~]/);
  if (at < 0) return { base: text, steps: [] };
  const steps: Step[] = [];
  const pattern = /\^\{([a-z]*)\}|\^(\d*)|~(\d*)/y;
  pattern.lastIndex = at;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return { base: "", steps: undefined };
    const [whole, type, number, count] = match;
    if (type !== undefined) {
      if (type !== "" && !isObjectType(type)) return { base: "", steps: undefined };
      steps.push({ kind: "peel", type: type === "" ? "any" : type });
    } else if (whole.startsWith("^")) steps.push({ kind: "parent", number: number ? Number(number) : 1 });
    else steps.push({ kind: "first-parents", count: count ? Number(count) : 1 });
  }
  return { base: text.slice(0, at), steps };
}

async function findBase(
  history: History,
  { head, refs }: GitRefs,
  base: string,
  as: "commit" | "tree" | undefined,
): Promise<Revision> {
  const { format } = history;
  if (isObjectId(format, base.toLowerCase())) return typed(history, base.toLowerCase());
  const names = base === "HEAD" || base === "@" ? [head] : [`${branchPrefix}${base}`, `${tagPrefix}${base}`];
  if (base.startsWith("refs/")) names.push(base);
  else names.push(`refs/${base}`);
  for (const name of names) {
    const entry = refs.find(name);
    if (entry === undefined) continue;
    const found = typed(history, entry.id);
    return found.kind === "found" ? { ...found, ref: name } : found;
  }
  const isShort =
    base.length >= shortestId && base.length < objectIdLength(format) && /^[0-9a-f]+$/i.test(base);
  return isShort ? findShort(history, base.toLowerCase(), as) : unknown;
}

const mostCandidates = 20;

async function findShort(
  history: History,
  prefix: string,
  as: "commit" | "tree" | undefined,
): Promise<Revision> {
  const ids = idsWithPrefix(history.packs, prefix, mostCandidates);
  const fitting: ObjectId[] = [];
  for (const id of ids) {
    if (as === undefined || (await peel(history, id, as)).kind === "found") fitting.push(id);
  }
  const [only] = fitting;
  if (only === undefined) return unknown;
  return fitting.length === 1 ? typed(history, only) : { kind: "ambiguous", candidates: fitting };
}

function typed(history: History, id: ObjectId): Revision {
  const place = history.packs.find(id);
  return place === undefined ? unknown : { kind: "found", id, type: history.packs.typeOf(place) };
}

async function takeStep(history: History, id: ObjectId, step: Step): Promise<Revision> {
  if (step.kind === "peel") return peel(history, id, step.type);
  let at = await peel(history, id, "commit");
  const count = step.kind === "parent" ? 1 : step.count;
  if (count > mostSteps) return unknown;
  for (let taken = 0; taken < count && at.kind === "found"; taken++) {
    if (step.kind === "parent" && step.number === 0) return at;
    const pause = history.pace();
    if (pause !== undefined) await pause;
    const { parents } = await history.links(at.id);
    const parent = parents[step.kind === "parent" ? step.number - 1 : 0];
    at = parent === undefined ? unknown : typed(history, parent);
  }
  return at;
}

/** Follows tags to an object of a kind, and a commit to its tree; `any` is the first object that is no tag. */
export async function peel(history: History, id: ObjectId, to: ObjectType | "any"): Promise<Revision> {
  let at = id;
  for (let depth = 0; depth < longestTagChain; depth++) {
    const found = typed(history, at);
    if (found.kind !== "found" || found.type === to) return found;
    if (found.type === "commit" && to === "tree") return treeOf(history, at);
    if (found.type !== "tag") return to === "any" ? found : unknown;
    const { data }: GitObject = await history.object(at);
    at = parseTag(data).object;
  }
  return unknown;
}

async function treeOf(history: History, id: ObjectId): Promise<Revision> {
  const { tree } = await history.links(id);
  // The empty tree is known without being stored.
  return { kind: "found", id: tree, type: "tree" };
}
