import { tmpdir } from "node:os";
import { defined } from "../defined.ts";
import { notFound, tooLarge, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { History } from "../git/history/history.ts";
import { selectObjects } from "../git/history/select/select-objects.ts";
import { ingestPack } from "../git/ingest/ingest.ts";
import type { IngestedPack, IngestLimits } from "../git/ingest/ingest-types.ts";
import { newObjects } from "../git/merge/new-objects.ts";
import { selectPlaces } from "../git/pack/pack-selection.ts";
import { openPackSet } from "../git/pack/pack-set.ts";
import { writePack } from "../git/pack/pack-writer.ts";
import { findGraph } from "../git/store/commit-graph/load-graph.ts";
import type { Code } from "./open.ts";

/** The code of a repository, with the objects of a related one. NotFound when their formats differ. */
export async function withObjectsOf(
  forge: Forge,
  code: Code,
  other: Code,
  signal?: AbortSignal,
): Promise<Code> {
  const { root, format } = code.repository;
  const { packs: beside } = other.repository.root;
  if (other.repository.format !== format)
    throw notFound("the two repositories have different object formats");
  const packs = new Map([...beside, ...root.packs].map((pack) => [pack.key, pack]));
  const packSet = await openPackSet(forge.blobs, format, [...packs.values()]);
  const graph = () => findGraph(forge, root.repositoryId);
  return {
    ...code,
    history: new History(packSet, {
      graph,
      compute: forge.compute,
      ...defined({ signal }),
    }),
  };
}

/** The most that a request copies from one repository to another: it has half a minute for that. */
const mostCopied: Partial<IngestLimits> = {
  packBytes: 256 * 2 ** 20,
  objects: 200_000,
  inflatedBytes: 2 ** 30,
  workMs: 15_000,
};

/**
 * A pack of all objects that one commit leads to and another does not, from the packs of a history and the objects added
 * to it. It lies in a temporary file: dispose of it. TooLarge when a request can't copy that much.
 */
export async function packBetween(
  history: History,
  want: ObjectId,
  have: ObjectId,
  signal?: AbortSignal,
): Promise<IngestedPack> {
  const { packs, format } = history;
  const beside = await newObjects(history, [want]);
  const wants = beside.length === 0 ? [want] : (await history.links(want)).parents;
  const { chosen } = await selectObjects({ packs, wants, haves: [have], ...defined({ signal }) });
  const selection = selectPlaces(packs, chosen);
  const bytes = writePack({ packSet: packs, selection, useOfsDelta: true, beside });
  const options = { format, temporaryFolder: tmpdir(), limits: mostCopied, ...defined({ signal }) };
  const taken = await ingestPack(bytes, options);
  if (taken.ok) return taken.pack;
  signal?.throwIfAborted();
  const { kind, message } = taken.reason;
  if (tooMuch.has(kind)) throw tooLarge("that is more than can be copied here: pull and push it with git");
  // Objects that are good one by one may merge into a bad one.
  if (kind === "bad-object") throw unprocessable(`git would refuse this: ${message}`);
  throw new Error(`what is to be copied can't be read: ${message}`);
}

const tooMuch: ReadonlySet<string> = new Set([
  "pack-too-large",
  "too-many-objects",
  "inflates-too-much",
  "took-too-long",
]);
