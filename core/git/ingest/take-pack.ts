import { Pacer } from "../../concurrency/pacer.ts";
import { defined } from "../../defined.ts";
import { checkGitmodules, largestGitmodules } from "../format/check-gitmodules.ts";
import { emptyTreeId } from "../format/object-format.ts";
import { typeOfCode } from "../format/object-type.ts";
import type { NewPack } from "../pack/new-pack.ts";
import type { PackSet } from "../pack/pack-set.ts";
import { hasSortedId } from "../pack/sort-ids.ts";
import type { GitRepository } from "../repository.ts";
import { thinBases } from "./complete/thin-bases.ts";
import { ingestPack } from "./ingest.ts";
import type { IngestedPack, IngestOptions } from "./ingest-types.ts";

/** How a pack is taken, beside its bytes and its folder. */
export type TakePackOptions = Pick<
  IngestOptions,
  "limits" | "signal" | "onProgress" | "onArrived" | "caller"
>;

/** A pack, or why there is none. `isHole`: it rests on objects that are missing everywhere. */
export type TakenPack =
  | { readonly pack: IngestedPack }
  | { readonly problem: string; readonly isHole: boolean };

/**
 * Takes a pack for a repository into a temporary file with all checks, and makes sure that the objects it names are in
 * it or in the repository. The caller disposes of it.
 */
export async function takePack(
  repository: GitRepository,
  packBytes: AsyncIterable<Uint8Array>,
  folder: string,
  { limits, signal, onProgress, onArrived, caller }: TakePackOptions,
): Promise<TakenPack> {
  const result = await ingestPack(packBytes, {
    format: repository.format,
    temporaryFolder: folder,
    findBases: thinBases(repository, folder),
    ...defined({ limits, onProgress, onArrived, signal, caller }),
  });
  if (!result.ok) return { problem: result.reason.message, isHole: result.reason.kind === "missing-base" };
  const missing = await findMissing(repository, result.pack, signal);
  const problem = missing ?? (await modulesProblem(repository, result.pack));
  if (problem === undefined) return { pack: result.pack };
  await result.pack.dispose();
  return { problem, isHole: missing !== undefined };
}

/** The fault of blobs that were pushed before as something else, and are `.gitmodules` now. */
async function modulesProblem(
  repository: GitRepository,
  { outsideModules }: IngestedPack,
): Promise<string | undefined> {
  if (outsideModules.length === 0) return undefined;
  const packs = await repository.packs();
  for (const id of outsideModules) {
    const place = packs.find(id);
    if (place === undefined) continue;
    const isHuge = packs.sizeOf(place) > largestGitmodules;
    const wrong = isHuge ? undefined : checkGitmodules((await packs.read(place)).data);
    if (isHuge) return `blob ${id}: .gitmodules is too large`;
    if (wrong !== undefined) return `blob ${id}: ${wrong.message} (${wrong.problem})`;
  }
  return undefined;
}

/** Objects that the pack names and that neither it nor the repository has: they would be holes in history. */
async function findMissing(
  repository: GitRepository,
  pack: IngestedPack,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { count, ids, types } = pack.outside;
  if (count === 0) return undefined;
  const packs = await repository.packs();
  const width = ids.length / count;
  const emptyTree = emptyTreeId(pack.format);
  const pacer = new Pacer(signal);
  for (let index = 0; index < count; index++) {
    if (pacer.isDue()) await pacer.pause();
    const id = ids.subarray(index * width, (index + 1) * width);
    const problem = checkNamed(packs, id, types[index] as number);
    if (problem !== undefined && id.toString("hex") !== emptyTree) return problem;
  }
  return undefined;
}

function checkNamed(packs: PackSet, id: Buffer, typeCode: number): string | undefined {
  const place = packs.find(id);
  if (place === undefined) return `object ${id.toString("hex")} is missing from the push and the repository`;
  const [expected, actual] = [typeOfCode(typeCode), packs.typeOf(place)];
  if (expected === undefined || expected === actual) return undefined;
  return `object ${id.toString("hex")} is a ${actual}, but the push uses it as a ${expected}`;
}

/** An ingested pack in the store's form. */
export function newPackOf(pack: IngestedPack): NewPack {
  return {
    packBytes: pack.packBytes,
    objects: pack.objectCount,
    side: pack.side,
    content: { path: pack.packPath },
    read: (id) => pack.read(id),
    stream: (id) => pack.stream(id),
    refersTo: (id) => hasSortedId(pack.outside.ids, Buffer.from(id, "hex")),
    ...defined({ unreferenced: pack.unreferenced }),
  };
}
