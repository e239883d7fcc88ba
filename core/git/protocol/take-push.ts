import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accountCaller } from "../../caller/caller.ts";
import { asStorageFull } from "../../capacity/storage-full.ts";
import { defined } from "../../defined.ts";
import { isForgeError } from "../../errors.ts";
import type { IngestedPack, IngestLimits, IngestProgress } from "../ingest/ingest-types.ts";
import type { PushSlot, PushSlots } from "../ingest/push-slots.ts";
import { newPackOf, takePack } from "../ingest/take-pack.ts";
import { isNothing, type RefChange, type RefResult } from "../refs/check-changes.ts";
import { commitPush } from "../store/push/commit-push.ts";
import { EarlyUpload } from "../store/push/early-upload.ts";
import type { PushFacts, PushRequest } from "../store/push/push.ts";
import type { OpenRepository, Stores } from "../store/store.ts";
import type { ReceiveCommands } from "./receive-commands.ts";
import type { PushReport } from "./report.ts";

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

/** `takePackAndRefs` for a client: a failure of the server is reported as well. Throws only after an abort. */
export async function takePush(
  stores: Stores,
  repository: OpenRepository,
  commands: ReceiveCommands,
  packBytes: AsyncIterable<Uint8Array>,
  options: TakePushOptions,
): Promise<PushReport> {
  try {
    return await takePackAndRefs(stores, repository, commands, packBytes, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    stores.log.error("receive:failed", { repositoryId: repository.root.repositoryId, error });
    return refusedWhole(commands, failureText(error));
  }
}

/**
 * Takes a push from its commands on: pack into a temporary file with all checks, connectivity, then `commitPush`.
 * Nothing is visible before its transaction, and nothing stays on disk. Throws what is no refusal, and after an abort.
 */
export async function takePackAndRefs(
  stores: Stores,
  repository: OpenRepository,
  commands: ReceiveCommands,
  packBytes: AsyncIterable<Uint8Array>,
  options: TakePushOptions,
): Promise<PushReport> {
  let ingested: IngestedPack | undefined;
  let folder: string | undefined;
  let ahead: EarlyUpload | undefined;
  let slot: PushSlot | undefined;
  try {
    if (commands.problem !== undefined) return refusedWhole(commands, commands.problem);
    if (commands.changes.some((change) => change.new !== undefined)) {
      const place = await options.slots?.take(accountCaller(options.pusherId), options.signal);
      if (typeof place === "string") return refusedWhole(commands, place);
      slot = place;
      folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), "coldforge-push-"));
      ahead = new EarlyUpload(stores, repository.root.repositoryId);
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
    const pack = ingested && { ...newPackOf(ingested), ...ahead?.begun };
    return await moveRefs(stores, repository, commands, pack, options);
  } finally {
    await ahead?.abandon();
    await ingested?.dispose();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    slot?.release();
  }
}

/** Commits the push with its pack, if any, and does what follows it. */
async function moveRefs(
  stores: Stores,
  repository: OpenRepository,
  commands: ReceiveCommands,
  pack: PushRequest["pack"],
  options: TakePushOptions,
): Promise<PushReport> {
  const { changes, capabilities, pushOptions } = commands;
  const { pusherId, judge, chooseHead, extraWrites, openedAt = Number.NEGATIVE_INFINITY } = options;
  const isFresh = performance.now() - openedAt < freshMs;
  const outcome = await commitPush(stores, repository.root.repositoryId, {
    changes,
    isAtomic: capabilities.has("atomic"),
    pusherId,
    pushOptions,
    ...(isFresh && { before: repository }),
    ...defined({ pack, judge, chooseHead, extraWrites }),
  });
  if (outcome.kind !== "done") return refusedWhole(commands, outcomeText[outcome.kind]);
  const messages = outcome.facts === undefined ? [] : await afterPush(stores, options, outcome.facts);
  return { results: outcome.results, messages: [...warnings(changes, outcome.results), ...messages] };
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
