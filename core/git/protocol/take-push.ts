import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accountCaller } from "../../caller.ts";
import { defined } from "../../defined.ts";
import { isForgeError } from "../../errors.ts";
import { Pacer } from "../../pacer.ts";
import { asStorageFull } from "../../storage-full.ts";
import { checkGitmodules, largestGitmodules } from "../format/check-gitmodules.ts";
import { emptyTreeId } from "../format/object-format.ts";
import { typeOfCode } from "../format/object-type.ts";
import { ingestPack } from "../ingest/ingest.ts";
import type { IngestedPack, IngestLimits, IngestOptions, IngestProgress } from "../ingest/ingest-types.ts";
import type { PushSlot, PushSlots } from "../ingest/push-slots.ts";
import type { NewPack } from "../pack/new-pack.ts";
import type { PackSet } from "../pack/pack-set.ts";
import { hasSortedId } from "../pack/sort-ids.ts";
import { isNothing, type RefChange } from "../refs/check-changes.ts";
import { commitPush } from "../store/push/commit-push.ts";
import { PackAhead } from "../store/push/pack-ahead.ts";
import type { PushFacts, PushRequest, RefResult } from "../store/push/push.ts";
import type { OpenRepository, Stores } from "../store/store.ts";
import type { ReceiveCommands } from "./receive-commands.ts";
import type { PushReport } from "./report.ts";
import { thinBases } from "./thin-bases.ts";

/** How a push is taken, beside its commands. */
export interface TakePushOptions
  extends Pick<PushRequest, "pusherId" | "judge" | "chooseHead" | "extraWrites"> {
  /** Called after the transaction, before the report; the pusher sees its answer. Its failure is logged. */
  afterPush?(facts: PushFacts): Promise<readonly string[]>;
  readonly limits?: Partial<IngestLimits>;
  readonly signal?: AbortSignal;
  /** Called now and then with the progress of the pack's checks. */
  onProgress?(progress: IngestProgress): void;
  /** Where packs are spooled; absent: the system's temporary folder. */
  readonly temporaryFolder?: string;
  /** Bounds how many pushes with a pack run at a time; absent: no bound. */
  readonly slots?: PushSlots;
  /** When the repository was opened, by `performance.now()`. */
  readonly openedAt?: number;
}

/** Refs read longer ago are read again before the push is checked against them. */
const freshMs = 500;

/**
 * Takes a push from its commands on: pack into a temporary file with all checks, connectivity, then `commitPush`.
 * Nothing is visible before its transaction, and nothing stays on disk. Throws only after an abort.
 */
export async function takePush(
  stores: Stores,
  repository: OpenRepository,
  commands: ReceiveCommands,
  packBytes: AsyncIterable<Uint8Array>,
  options: TakePushOptions,
): Promise<PushReport> {
  const { changes, capabilities } = commands;
  let ingested: IngestedPack | undefined;
  let folder: string | undefined;
  let ahead: PackAhead | undefined;
  let slot: PushSlot | undefined;
  try {
    if (commands.problem !== undefined) return refusedWhole(commands, commands.problem);
    if (changes.some((change) => change.new !== undefined)) {
      const place = await options.slots?.take(accountCaller(options.pusherId), options.signal);
      if (typeof place === "string") return refusedWhole(commands, place);
      slot = place;
      folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), "coldforge-push-"));
      ahead = new PackAhead(stores, repository.root.repositoryId);
      const taken = await takePack(repository, slot?.receive(packBytes) ?? packBytes, folder, {
        ...options,
        caller: accountCaller(options.pusherId),
        onArrived: (path, bytes) => ahead?.begin(path, bytes),
      });
      if ("problem" in taken)
        return refusedWhole(commands, taken.isHole ? taken.problem + shallowHint(commands) : taken.problem);
      ingested = taken.pack;
    }
    options.signal?.throwIfAborted();
    const { pusherId, judge, chooseHead, extraWrites, openedAt = Number.NEGATIVE_INFINITY } = options;
    const isFresh = performance.now() - openedAt < freshMs;
    const outcome = await commitPush(stores, repository.root.repositoryId, {
      changes,
      isAtomic: capabilities.has("atomic"),
      pusherId,
      pushOptions: commands.pushOptions,
      ...(ingested && { pack: { ...newPackOf(ingested), ...ahead?.begun } }),
      ...(isFresh && { before: repository }),
      ...(judge && { judge }),
      ...(chooseHead && { chooseHead }),
      ...(extraWrites && { extraWrites }),
    });
    if (outcome.kind !== "done") return refusedWhole(commands, outcomeText[outcome.kind]);
    const messages = outcome.facts === undefined ? [] : await afterPush(stores, options, outcome.facts);
    return { results: outcome.results, messages: [...warnings(changes, outcome.results), ...messages] };
  } catch (error) {
    options.signal?.throwIfAborted();
    stores.log.error("receive:failed", { repositoryId: repository.root.repositoryId, error });
    return refusedWhole(commands, failureText(error));
  } finally {
    await ahead?.abandon();
    await ingested?.dispose();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    slot?.release();
  }
}

const outcomeText = {
  gone: "the repository was deleted meanwhile",
  busy: "other writers of this repository came first; nothing was changed, push again",
} as const;

/** Deleting a missing ref succeeds, and its pusher may have mistyped the name. */
function warnings(changes: readonly RefChange[], results: readonly RefResult[]): string[] {
  const refused = new Set(results.flatMap(({ name, refusal }) => (refusal === undefined ? [] : [name])));
  const absent = changes.filter((change) => isNothing(change) && !refused.has(change.name));
  const [first] = absent;
  if (first === undefined) return [];
  const others = absent.length === 1 ? "" : ` and ${absent.length - 1} more`;
  return [`warning: ${first.name}${others}: not here, nothing was deleted`];
}

/** This repository would have a hole where the history of a shallow clone ends. */
const shallowHint = ({ shallow }: ReceiveCommands): string =>
  shallow.length === 0 ? "" : '; this is a shallow clone: "git fetch --unshallow" brings what is missing';

const refusedWhole = ({ changes }: ReceiveCommands, problem: string): PushReport => ({
  problem,
  results: changes.map(({ name }) => ({ name, refusal: problem })),
  messages: [],
});

function failureText(error: unknown): string {
  if (isForgeError(error)) return error.message;
  const full = asStorageFull(error);
  if (full !== undefined) return full.message;
  return "the server failed; nothing was changed unless a later fetch shows it";
}

async function afterPush(
  stores: Stores,
  options: TakePushOptions,
  facts: PushFacts,
): Promise<readonly string[]> {
  try {
    return (await options.afterPush?.(facts)) ?? [];
  } catch (error) {
    stores.log.error("receive:after-push", { repositoryId: facts.repositoryId, error });
    return [];
  }
}

/** A pack, or why there is none. `isHole`: it rests on objects that are missing everywhere. */
export type TakenPack =
  | { readonly pack: IngestedPack }
  | { readonly problem: string; readonly isHole: boolean };

/**
 * Takes a pack for a repository into a temporary file with all checks, and makes sure that the objects it names are in
 * it or in the repository. The caller disposes of it.
 */
export async function takePack(
  repository: OpenRepository,
  packBytes: AsyncIterable<Uint8Array>,
  folder: string,
  {
    limits,
    signal,
    onProgress,
    onArrived,
    caller,
  }: Pick<TakePushOptions, "limits" | "signal" | "onProgress"> & Pick<IngestOptions, "onArrived" | "caller">,
): Promise<TakenPack> {
  const result = await ingestPack(packBytes, {
    format: repository.root.objectFormat,
    temporaryFolder: folder,
    findBases: thinBases(repository, folder),
    ...(limits && { limits }),
    ...(onProgress && { onProgress }),
    ...(onArrived && { onArrived }),
    ...(signal && { signal }),
    ...defined({ caller }),
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
  repository: OpenRepository,
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
  repository: OpenRepository,
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
    ...(pack.unreferenced && { unreferenced: pack.unreferenced }),
  };
}
