import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isForgeError } from "../../../errors.ts";
import { randomId } from "../../../ids.ts";
import { absent } from "../../../table/condition.ts";
import { put, type TableKey } from "../../../table/write.ts";
import type { ObjectId } from "../../format/object-format.ts";
import { findCollision } from "../../ingest/find-collision.ts";
import type { NewPack } from "../../pack/new-pack.ts";
import { packBlockBytes, processPackCaches } from "../../pack/pack-caches.ts";
import { packKey, sideKey } from "../../pack/pack-files.ts";
import { SideFile } from "../../pack/side-file.ts";
import { checkNames, type RefResult, type Verdict } from "../../refs/check-changes.ts";
import { decodeLogChunk } from "../../refs/ref-log.ts";
import { RefTable } from "../../refs/ref-table.ts";
import { longestUnnamedMs } from "../maintain/sweep-packs.ts";
import { packFileKey } from "../pack-manifest.ts";
import { type LogItem, logKey, type Root, replaceRoot } from "../refs/refs.table.ts";
import { type RefSnapshot, readRoot, readSnapshot, remember } from "../refs/snapshot.ts";
import type { Loan } from "../shared-packs.ts";
import { gitBytes, type OpenRepository, openSnapshot, type Stores } from "../store.ts";
import { TipDescriptions } from "./describe-tips.ts";
import { judgePush } from "./judge-push.ts";
import type { PushFacts, PushOutcome, PushRequest } from "./push.ts";
import { logWrites, type PushIds, pushFacts } from "./push-facts.ts";

const defaultBudgetMs = 20_000;
/** How many chunks of a huge push's log are written at a time: up to 400 KB each. */
const writesAtOnce = 8;
const longestPauseMs = 100;
/** A DynamoDB item ends at 400 KB. */
const mostPacks = 11_000;

/**
 * Lands a push. It checks each ref against its stored value, uploads the pack, and writes ROOT, log and the caller's
 * items in one transaction, on the condition that nobody wrote ROOT since it was read. After a lost race it reads again
 * and repeats the checks, so a ref is refused only when it moved itself. Nothing is visible before. Throws Unavailable
 * when the table does not answer; the push may still land then.
 */
export async function commitPush(
  stores: Stores,
  repositoryId: number,
  request: PushRequest,
): Promise<PushOutcome> {
  const push = new Push(stores, repositoryId, request);
  const deadline = performance.now() + (request.budgetMs ?? defaultBudgetMs);
  let outcome: PushOutcome | undefined;
  try {
    for (let tries = 0; outcome === undefined && (tries === 0 || performance.now() < deadline); tries++) {
      if (tries > 0) await delay(Math.random() * Math.min(longestPauseMs, 5 * 2 ** Math.min(tries, 5)));
      outcome = await push.attempt();
    }
  } finally {
    if (outcome?.kind !== "done" || outcome.facts === undefined) await push.discard();
    await push.discardStaged();
  }
  push.throwDoubt(outcome);
  return outcome ?? { kind: "busy" };
}

/** One push on its way, over all its attempts. */
class Push {
  readonly #stores: Stores;
  readonly #repositoryId: number;
  readonly #request: PushRequest;
  readonly #pushId = randomId();
  readonly #packId: string;
  readonly #names: readonly Verdict[];
  #tips: TipDescriptions | undefined;
  /** As the latest attempt found it. */
  #repository: OpenRepository | undefined;
  /** When the upload began, in milliseconds: a sweep removes a pack that nothing names in the end. */
  #uploadedAt: number | undefined;
  /** The uploaded bytes, if they were in memory. */
  #content: Uint8Array | undefined;
  /** Packs of the repository that hold no other object under an id of the new pack. */
  readonly #compared = new Set<string>();
  /** Log chunks written ahead by attempts that may have been for nothing. */
  #staged: TableKey[] = [];
  #attempts = 0;
  /** The snapshot that the caller has read; used once. */
  #given: RefSnapshot | undefined;
  /** A transaction without an answer whose log item was not there: it may still land. */
  #doubt: { v: number; outcome: PushOutcome; error: unknown } | undefined;

  constructor(stores: Stores, repositoryId: number, request: PushRequest) {
    this.#stores = stores;
    this.#repositoryId = repositoryId;
    this.#request = request;
    this.#packId = request.pack?.ahead?.packId ?? randomId();
    this.#given = request.before;
    this.#names = checkNames(request.changes);
  }

  get #isUploaded(): boolean {
    return this.#uploadedAt !== undefined;
  }

  get #ids(): PushIds {
    const packId = this.#isUploaded ? this.#packId : undefined;
    return { repositoryId: this.#repositoryId, pushId: this.#pushId, packId };
  }

  /** Reads, checks and tries to commit once; undefined when another writer won. */
  async attempt(): Promise<PushOutcome | undefined> {
    const given = this.#given;
    this.#given = undefined;
    const loan = await this.#request.borrow?.();
    if (this.#request.borrow !== undefined && loan === undefined) return { kind: "gone" };
    const stored = given ?? (await this.#before());
    const before = stored && loan ? withLoan(stored, loan) : stored;
    if (this.#doubt !== undefined) {
      const { v, outcome } = this.#doubt;
      const fate = await this.#fateOf(v);
      if (fate === "landed") return outcome;
      if (fate === "lost") this.#doubt = undefined;
    }
    if (before === undefined || before.root.state !== "live") return { kind: "gone" };
    // Checked after ROOT was read: a sweep writes ROOT first.
    const isSwept =
      this.#stores.clock.now() - (this.#uploadedAt ?? Number.POSITIVE_INFINITY) > longestUnnamedMs;
    if (isSwept) return { kind: "busy" };
    const { landing, results } = await judgePush(before, this.#request, this.#names, this.#describe(before));
    // Only the present values of refs may refuse a push.
    const isRefused = results.some(({ refusal }) => refusal !== undefined);
    if (given !== undefined && isRefused && !(await this.#isNewest(given))) return undefined;
    if (landing.length === 0) return { kind: "done", results };
    const collision = await this.#findCollision(before);
    if (collision !== undefined) return refusedWhole(results, collisionText(collision));
    await this.#upload();
    const base = { before, storedBytes: stored === undefined ? 0 : gitBytes(stored.root) };
    const facts = await pushFacts(this.#stores, this.#ids, this.#request, base, landing);
    return this.#commit(before.root, facts, results, loan);
  }

  /** Every write of ROOT makes another edition of it. */
  async #isNewest({ root }: RefSnapshot): Promise<boolean> {
    return (await readRoot(this.#stores.table, this.#repositoryId))?.e === root.e;
  }

  async #before(): Promise<RefSnapshot | undefined> {
    const { creates } = this.#request;
    return creates === undefined
      ? readSnapshot(this.#stores.table, this.#repositoryId)
      : { root: creates, refs: RefTable.empty };
  }

  /** Tips are described from the pushed pack, then from the packs of the ROOT at hand. */
  #describe(before: RefSnapshot): TipDescriptions {
    this.#repository = openSnapshot(this.#stores, before);
    this.#tips ??= new TipDescriptions(async (id: ObjectId) => {
      const pushed = await this.#request.pack?.read(id);
      if (pushed !== undefined) return pushed;
      const packs = await this.#repository?.packs();
      return packs?.has(id) ? packs.read(id) : undefined;
    });
    return this.#tips;
  }

  /** Looks into packs that an earlier attempt has not seen. */
  async #findCollision(before: RefSnapshot): Promise<ObjectId | undefined> {
    const { pack } = this.#request;
    const packs = before.root.packs.filter(({ id }) => !this.#compared.has(id));
    if (pack === undefined || packs.length === 0) return undefined;
    const unseen = openSnapshot(this.#stores, { ...before, root: { ...before.root, packs } });
    const collision = await findCollision(pack, await unseen.packs());
    for (const { id } of packs) this.#compared.add(id);
    return collision;
  }

  async #upload(): Promise<void> {
    const { pack } = this.#request;
    if (pack === undefined || pack.objects === 0 || this.#isUploaded) return;
    const target = { key: packFileKey(this.#repositoryId, this.#packId) };
    const { blobs } = this.#stores;
    this.#uploadedAt = this.#stores.clock.now();
    const { ahead } = pack;
    const content = await contentOf(pack);
    if (content instanceof Uint8Array) this.#content = content;
    const settled = await Promise.allSettled([
      ahead !== undefined
        ? ahead.upload.finish()
        : content instanceof Uint8Array
          ? blobs.put(packKey(target), content)
          : blobs.putFile(packKey(target), content.path),
      blobs.put(sideKey(target), pack.side),
    ]);
    for (const one of settled) if (one.status === "rejected") throw one.reason;
  }

  async #commit(
    root: Root,
    facts: PushFacts,
    results: readonly RefResult[],
    loan: Loan | undefined,
  ): Promise<PushOutcome | undefined> {
    const log = logWrites(this.#ids, facts, `${this.#pushId}.${this.#attempts++}`);
    const refusal = log === undefined ? tooManyRefs : tooManyPacks(facts.after.root);
    if (log === undefined || refusal !== undefined) return refusedWhole(results, refusal ?? tooManyRefs);
    const extraWrites = (await this.#request.extraWrites?.(facts, results)) ?? [];
    const done: PushOutcome = { kind: "done", results, facts };
    const staged = await this.#stage(log.staged);
    try {
      const outcome = await this.#stores.table.transact([
        replaceRoot(root, facts.after.root),
        ...log.inTransaction,
        ...extraWrites,
        ...(loan === undefined ? [] : [loan.check]),
      ]);
      if (!outcome.committed) return undefined;
    } catch (error) {
      this.#doubt = { v: facts.after.root.v, outcome: done, error };
      if (!isForgeError(error, "unavailable")) throw error;
      const fate = await this.#fateOf(facts.after.root.v);
      if (fate === "lost") this.#doubt = undefined;
      if (fate !== "landed") return undefined;
    }
    this.#remember(facts);
    this.#staged = this.#staged.filter((key) => !staged.has(key));
    return done;
  }

  /** Writes the chunks that the transaction will name and can't hold; nobody sees them before. */
  async #stage(items: readonly LogItem[]): Promise<ReadonlySet<TableKey>> {
    const keys = new Set<TableKey>();
    for (const item of items) {
      const key = { pk: item.pk, sk: item.sk };
      keys.add(key);
      this.#staged.push(key);
    }
    for (let at = 0; at < items.length; at += writesAtOnce) {
      await Promise.all(
        items.slice(at, at + writesAtOnce).map((item) => this.#stores.table.write(put(item, absent))),
      );
    }
    return keys;
  }

  /** Removes the chunks of lost attempts, except those whose transaction may still land. */
  async discardStaged(): Promise<void> {
    if (this.#staged.length === 0 || this.#doubt !== undefined) return;
    try {
      await this.#stores.table.removeAll(this.#staged);
    } catch (error) {
      this.#stores.log.warn("git:discard-log", { repositoryId: this.#repositoryId, error });
    }
  }

  /** Keeps what was written, so that this instance's next reader need not fetch it. */
  #remember({ after }: PushFacts): void {
    remember(this.#stores.table, after.root, after.refs);
    const { pack } = this.#request;
    if (pack !== undefined && this.#isUploaded) {
      processPackCaches.remember(this.#packId, new SideFile(pack.side), this.#content);
    }
  }

  /** The fate of a transaction without an answer: the log item of its version is this push's, another's, or none. */
  async #fateOf(v: number): Promise<"landed" | "lost" | "open"> {
    const item = await this.#stores.table.get<LogItem>(logKey(this.#repositoryId, v, 0));
    if (item === undefined) return "open";
    return decodeLogChunk(item.changes).pushId === this.#pushId ? "landed" : "lost";
  }

  /** Throws the table's last answer when the time is up and the push may have landed. */
  throwDoubt(outcome: PushOutcome | undefined): void {
    if (outcome === undefined && this.#doubt !== undefined) throw this.#doubt.error;
  }

  /** Removes an upload that was for nothing. It stays while the transaction's fate is in doubt: a sweep finds it. */
  async discard(): Promise<void> {
    if (!this.#isUploaded || this.#doubt !== undefined) return;
    const target = { key: packFileKey(this.#repositoryId, this.#packId) };
    try {
      await this.#stores.blobs.remove([packKey(target), sideKey(target)]);
    } catch (error) {
      this.#stores.log.warn("git:discard-pack", { repositoryId: this.#repositoryId, key: target.key, error });
    }
  }
}

/** The repository as if the lent packs were its own, after its own; nobody may ask for all that they hold. */
function withLoan({ root, ...snapshot }: RefSnapshot, { packs }: Loan): RefSnapshot {
  const own = new Set(root.packs.map(({ id }) => id));
  const lent = packs.filter(({ id }) => !own.has(id));
  if (lent.length === 0) return { ...snapshot, root };
  return { ...snapshot, root: { ...root, packs: [...root.packs, ...lent], isWhollyReachable: false } };
}

/** A pack of one block is read once, for the upload and for the next reader. */
const contentOf = async ({ content, packBytes }: NewPack): Promise<NewPack["content"]> =>
  content instanceof Uint8Array || packBytes > packBlockBytes ? content : readFile(content.path);

const refusedWhole = (results: readonly RefResult[], refusal: string): PushOutcome => ({
  kind: "done",
  results: results.map(({ name }) => ({ name, refusal })),
});

const collisionText = (id: ObjectId): string =>
  `object ${id} is here already with other content; two contents with one id are never taken`;

const tooManyRefs = "the refs of this push take too much room; push them in parts of 20,000";

const tooManyPacks = ({ packs }: Root): Verdict =>
  packs.length > mostPacks
    ? "too many packs; the repository needs maintenance before it takes more"
    : undefined;
