import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { type BundleHeader, readBundle } from "../git/archive/read-bundle.ts";
import { takePackAndRefs } from "../git/protocol/take-push.ts";
import type { RefResult } from "../git/refs/check-changes.ts";
import { type OpenRepository, openRepository } from "../git/store/store.ts";
import type { JobKind } from "../jobs/job.ts";
import { repositoryPushRules } from "../repository/push.ts";
import { lostRights } from "../repository/pusher.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { update, type Write } from "../table/write.ts";
import { importingActor } from "./complete.ts";
import { fastForwardOnly } from "./fast-forward-only.ts";
import { type Import, type ImportUpload, importKey, importParts, type RefusedRef } from "./import.table.ts";
import { findImport, removeParts } from "./import.ts";

/** A worker that was killed so often did not fail by accident. */
const mostAttempts = 3;
const pauseMs = 30_000;
/** A worker of Lambda has a quarter of an hour for all of it. */
const mostCheckMs = 600_000;

/**
 * Takes a bundle in: the pack and the refs pass as those of a push do, and the transaction that moves the refs ends the
 * import. So a worker that is killed before it has moved nothing, and one that is killed after it finds the import over.
 */
export const takeBundle: JobKind<ImportUpload, object> = {
  async step(forge, upload) {
    const found = await findImport(forge, upload);
    if (found?.uploadId !== upload.uploadId) return { done: true };
    if (found.state === "waiting") await takeIn(forge, found);
    const ended = await findImport(forge, upload);
    if (ended?.uploadId !== upload.uploadId) return { done: true };
    // An answer that got lost leaves it as it was: each run counts, so this comes to an end.
    if (ended.state === "waiting") return { cursor: {}, waitMs: pauseMs };
    if (ended.state === "done") await removeParts(forge, ended);
    return { done: true };
  },
};

async function takeIn(forge: Forge, found: Import): Promise<void> {
  const begun = { ...found, attempts: found.attempts + 1, v: found.v + 1 };
  if (found.attempts >= mostAttempts) {
    return fail(
      forge,
      found,
      "the server could not take the bundle in, three times: try again later, or a smaller one",
    );
  }
  const { attempts, v } = begun;
  if (!(await forge.table.write(update(importKey(found), { set: { attempts, v } }, asRead(found))))) return;
  const [repository, git] = await Promise.all([
    forge.table.get<Repository>(repositoryKey(found.repositoryId)),
    openRepository(forge, found.repositoryId),
  ]);
  if (repository?.state !== "live" || git === undefined) return; // the import goes with it
  const pieces = new PartPieces(forge, begun);
  const bundle = await readBundle(pieces, { mostRefs: forge.config.gitMaxPushRefs });
  const problem = "problem" in bundle ? `the bundle can't be taken: ${bundle.problem}` : undefined;
  if ("problem" in bundle) return fail(forge, begun, problem ?? bundle.problem);
  const { header, pack } = bundle;
  const unfit = await misfit(git, header);
  if (unfit !== undefined) return fail(forge, begun, `the bundle can't be taken: ${unfit}`);
  await pushIn(forge, begun, { repository, git, header, pack, pieces });
}

/** A bundle whose header fits the repository. */
interface FittingBundle {
  readonly repository: Repository;
  readonly git: OpenRepository;
  readonly header: BundleHeader;
  readonly pack: AsyncIterable<Uint8Array>;
  readonly pieces: PartPieces;
}

async function pushIn(
  forge: Forge,
  begun: Import,
  { repository, git, header, pack, pieces }: FittingBundle,
): Promise<void> {
  const actor = await importingActor(forge, begun);
  if (actor === undefined) return fail(forge, begun, lostRights);
  const { config } = forge;
  const rules = repositoryPushRules(forge, repository, actor);
  const changes = changesOf(git, header);
  if (changes.length === 0) return done(forge, begun);
  const commands = { changes, capabilities: new Map(), shallow: [], pushOptions: [] };
  const report = await takePackAndRefs(forge, git, commands, pack, {
    pusherId: actor.user.id,
    chooseHead: rules.chooseHead,
    judge: fastForwardOnly(rules.judge, config.gitCheckTimeoutSeconds * 1000),
    extraWrites: async (facts, results) => [
      ...(await rules.extraWrites(facts, results)),
      endWrite(forge, begun, { landed: facts.changes.length, results }),
    ],
    afterPush: async (facts) => (await rules.afterPush(facts)).lines,
    limits: {
      packBytes: config.gitMaxPackBytes,
      objectBytes: config.gitMaxObjectBytes,
      deltaDepth: config.gitMaxDeltaDepth,
      workMs: Math.min(config.gitCheckTimeoutSeconds * 1000, mostCheckMs),
    },
  });
  if (pieces.failure !== undefined) throw pieces.failure;
  // What moved refs has ended the import with them: this write finds that it has.
  const { problem, results } = report;
  await forge.table.write(
    endWrite(forge, begun, { landed: 0, results, ...(problem !== undefined && { problem }) }),
  );
}

/** Why the bundle is none for this repository; undefined when it fits. */
async function misfit(
  git: OpenRepository,
  { format, prerequisites }: BundleHeader,
): Promise<string | undefined> {
  if (format !== git.format) {
    return `its objects are named by ${format}, those of the repository by ${git.format}`;
  }
  const packs = prerequisites.length === 0 ? undefined : await git.packs();
  const absent = prerequisites.filter((id) => packs?.has(id) !== true);
  const [first] = absent;
  if (first === undefined) return undefined;
  const others = absent.length > 1 ? ` (and ${absent.length - 1} others)` : "";
  return `it rests on commit ${first}${others}, which is not here: bring a bundle of the whole history, or that one first`;
}

/** The refs that are to move; HEAD is no ref of a push. */
const changesOf = ({ refs }: OpenRepository, header: BundleHeader) =>
  header.refs.flatMap(({ name, id }) => {
    const old = refs.find(name)?.id;
    return name === "HEAD" || old === id ? [] : [{ name, new: id, ...(old !== undefined && { old }) }];
  });

/** The bytes of all parts, and what kept them from being read. */
class PartPieces implements AsyncIterable<Uint8Array> {
  readonly #forge: Forge;
  readonly #bundle: Import;
  failure: unknown;

  constructor(forge: Forge, bundle: Import) {
    this.#forge = forge;
    this.#bundle = bundle;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (const { objectKey, sizeBytes } of importParts(this.#bundle)) {
        yield* this.#forge.blobs.stream(objectKey, 0, sizeBytes);
      }
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

interface ImportEnd {
  readonly landed: number;
  readonly results: readonly RefResult[];
  readonly problem?: string;
}

const mostRefused = 500;
const mostRefusedBytes = 100_000;
const mostReason = 300;

/** Ends an import as it was begun; it fails when another worker has ended it. */
function endWrite(forge: Forge, begun: Import, { landed, results, problem }: ImportEnd): Write {
  const refused = results.flatMap(({ name, refusal }) => (refusal === undefined ? [] : [{ name, refusal }]));
  const isDone = problem === undefined && refused.length < Math.max(1, results.length);
  const reason =
    problem ?? (refused.length > 0 ? `${refused.length} of ${results.length} refs were refused` : undefined);
  const ended = {
    set: {
      ...{
        state: isDone ? "done" : "failed",
        landed,
        refusedCount: refused.length,
        refused: shownOf(refused),
      },
      ...{ endedAt: nowSeconds(forge.clock), v: begun.v + 1 },
      ...(reason !== undefined && { problem: reason.slice(0, 1_000) }),
    },
  };
  return update(importKey(begun), ended, asRead(begun));
}

/** As many as an item has room for. */
function shownOf(refused: readonly RefusedRef[]): RefusedRef[] {
  const shown: RefusedRef[] = [];
  let bytes = 0;
  for (const { name, refusal } of refused.slice(0, mostRefused)) {
    const one = { name, refusal: refusal.slice(0, mostReason) };
    bytes += 3 * (one.name.length + one.refusal.length);
    if (bytes > mostRefusedBytes) break;
    shown.push(one);
  }
  return shown;
}

const asRead = ({ v, uploadId }: Import) => equals({ v, uploadId, state: "waiting" });

async function fail(forge: Forge, begun: Import, problem: string): Promise<void> {
  await forge.table.write(endWrite(forge, begun, { landed: 0, results: [], problem }));
}

/** Everything was here already. */
async function done(forge: Forge, begun: Import): Promise<void> {
  await forge.table.write(endWrite(forge, begun, { landed: 0, results: [] }));
}
