import { setTimeout as delay } from "node:timers/promises";
import { randomId } from "../ids.ts";
import { absent, put, type Write } from "../table.ts";
import { TipDescriptions } from "./describe-tips.ts";
import { processPackCaches } from "./pack/pack-caches.ts";
import { packKey, sideKey } from "./pack/pack-files.ts";
import { SideFile } from "./pack/side-file.ts";
import type { NewPack, PushFacts, PushOutcome, PushRequest, RefResult } from "./push.ts";
import { keepsWholeReachability } from "./push-reachability.ts";
import {
  checkFolders,
  checkNames,
  checkOldValue,
  type RefChange,
  type Verdict,
} from "./refs/check-changes.ts";
import { type ManifestPack, packFileKey } from "./refs/pack-manifest.ts";
import { decodeLogChunk, encodeLog, type LoggedChange, type LoggedPush } from "./refs/ref-log.ts";
import { branchPrefix, tagPrefix } from "./refs/ref-name.ts";
import { updateOf } from "./refs/ref-table.ts";
import { type LogItem, logKey, type Root, replaceRoot } from "./refs/refs.table.ts";
import { type RefSnapshot, readSnapshot, remember } from "./refs/snapshot.ts";
import { type Doors, gitBytes, openSnapshot } from "./store.ts";

const defaultBudgetMs = 20_000;
const longestPauseMs = 100;
/** Chunks that fit a transaction's 4 MB beside the other items. */
const mostChunks = 9;
/** A DynamoDB item ends at 400 KB. */
const mostPacks = 11_000;

/**
 * Lands a push: checks each ref against what is stored now, uploads the pack, and writes ROOT, log and the caller's
 * items as one transaction, under the condition that nobody wrote ROOT since it was read. Who loses that race reads
 * again and repeats the checks, so a ref is refused only when it itself moved. Nothing is visible before.
 */
export async function commitPush(
  doors: Doors,
  repositoryId: number,
  request: PushRequest,
): Promise<PushOutcome> {
  const push = new Push(doors, repositoryId, request);
  const deadline = Date.now() + (request.budgetMs ?? defaultBudgetMs);
  let outcome: PushOutcome | undefined;
  try {
    for (let tries = 0; outcome === undefined && (tries === 0 || Date.now() < deadline); tries++) {
      if (tries > 0) await delay(Math.random() * Math.min(longestPauseMs, 5 * 2 ** Math.min(tries, 5)));
      outcome = await push.attempt();
    }
  } finally {
    if (outcome?.kind !== "done" || outcome.facts === undefined) await push.discard();
  }
  return outcome ?? { kind: "busy" };
}

/** One push on its way, over as many attempts as it takes. */
class Push {
  readonly #doors: Doors;
  readonly #repositoryId: number;
  readonly #request: PushRequest;
  readonly #pushId = randomId();
  readonly #packId = randomId();
  readonly #nameVerdicts: readonly Verdict[];
  #descriptions: TipDescriptions | undefined;
  #isUploaded = false;
  /** A transaction's answer was lost and its log item is not there: it may yet land. */
  #isInDoubt = false;

  constructor(doors: Doors, repositoryId: number, request: PushRequest) {
    this.#doors = doors;
    this.#repositoryId = repositoryId;
    this.#request = request;
    this.#nameVerdicts = checkNames(request.changes);
  }

  /** Reads, checks and tries to commit once; undefined when another writer won. */
  async attempt(): Promise<PushOutcome | undefined> {
    const before = await readSnapshot(this.#doors.table, this.#repositoryId);
    if (before === undefined || before.root.state !== "live") return { kind: "gone" };
    const verdicts = await this.#judge(before);
    const changes = await this.#described(before, verdicts);
    const results = resultsOf(this.#request.changes, verdicts);
    if (changes.length === 0) return { kind: "done", results };
    await this.#upload();
    const facts = await this.#facts(before, changes);
    return this.#commit(before.root, facts, results);
  }

  /** A verdict for each change; with `isAtomic`, one refusal refuses all. */
  async #judge(before: RefSnapshot): Promise<Verdict[]> {
    const { changes, isAtomic } = this.#request;
    const verdicts = changes.map(
      (change, index) => this.#nameVerdicts[index] ?? checkOldValue(before.refs, change),
    );
    await this.#ask(verdicts, (open) => this.#describe(before).check(open, before.refs));
    await this.#ask(verdicts, async (open) => this.#request.judge?.(before, open) ?? []);
    await this.#ask(verdicts, async (open) => {
      const refusals = checkFolders(
        before.refs,
        open.map(({ name, new: id }) => plainUpdate(name, id)),
      );
      return open.map(({ name }) => refusals.get(name));
    });
    if (isAtomic && verdicts.some((verdict) => verdict !== undefined)) {
      return verdicts.map((verdict) => verdict ?? "another ref of this atomic push was refused");
    }
    return verdicts;
  }

  /** Puts a question about the changes that are not refused yet, and notes the answers. */
  async #ask(verdicts: Verdict[], question: (open: RefChange[]) => Promise<readonly Verdict[]>) {
    const open = [...verdicts.keys()].filter((index) => verdicts[index] === undefined);
    if (open.length === 0) return;
    const answers = await question(open.map((index) => this.#request.changes[index] as RefChange));
    for (const [at, index] of open.entries()) verdicts[index] = answers[at];
  }

  #describe(before: RefSnapshot): TipDescriptions {
    if (this.#descriptions === undefined) {
      const { pack } = this.#request;
      const repository = openSnapshot(this.#doors, before);
      this.#descriptions = new TipDescriptions(async (id) => {
        const pushed = await pack?.read(id);
        if (pushed !== undefined) return pushed;
        const packs = await repository.packs();
        return packs.has(id) ? packs.read(id) : undefined;
      });
    }
    return this.#descriptions;
  }

  /** The changes that land, with what the log records of them. */
  async #described(before: RefSnapshot, verdicts: readonly Verdict[]): Promise<LoggedChange[]> {
    const landing = this.#request.changes.filter((_, index) => verdicts[index] === undefined);
    const logged: LoggedChange[] = [];
    for (const change of landing) {
      const description = await this.#describe(before).of(change, before.refs);
      if (!("refusal" in description)) logged.push({ ...change, ...description });
    }
    return logged;
  }

  async #upload(): Promise<void> {
    const { pack } = this.#request;
    if (pack === undefined || pack.objects === 0 || this.#isUploaded) return;
    const target = { key: packFileKey(this.#repositoryId, this.#packId) };
    this.#isUploaded = true;
    const { blobs } = this.#doors;
    const settled = await Promise.allSettled([
      pack.content instanceof Uint8Array
        ? blobs.put(packKey(target), pack.content)
        : blobs.putFile(packKey(target), pack.content.path),
      blobs.put(sideKey(target), pack.side),
    ]);
    for (const one of settled) if (one.status === "rejected") throw one.reason;
  }

  async #facts(before: RefSnapshot, changes: readonly LoggedChange[]): Promise<PushFacts> {
    const { pack, pusherId, chooseHead } = this.#request;
    const timeMs = this.#doors.clock.now();
    const refs = before.refs.with(changes.map((change) => updateOf(change, pusherId, timeMs)));
    const packs =
      pack && this.#isUploaded ? [...before.root.packs, this.#manifestPack(pack)] : before.root.packs;
    const root: Root = {
      ...before.root,
      v: before.root.v + 1,
      e: before.root.e + 1,
      branches: before.root.branches + created(changes, branchPrefix),
      tags: before.root.tags + created(changes, tagPrefix),
      packs,
      isWhollyReachable: await keepsWholeReachability(openSnapshot(this.#doors, before), refs, changes, pack),
    };
    const facts: PushFacts = {
      repositoryId: this.#repositoryId,
      pushId: this.#pushId,
      pusherId,
      timeMs,
      before,
      after: { root, refs },
      changes,
      wasEmpty: before.refs.entries.length === 0,
      packBytes: this.#isUploaded ? (pack?.packBytes ?? 0) : 0,
      totalBytes: gitBytes(root),
    };
    const head = chooseHead?.(facts);
    return head === undefined ? facts : { ...facts, after: { root: { ...root, head }, refs } };
  }

  #manifestPack(pack: NewPack): ManifestPack {
    return {
      id: this.#packId,
      key: packFileKey(this.#repositoryId, this.#packId),
      packBytes: pack.packBytes,
      sideBytes: pack.side.length,
      objects: pack.objects,
      source: this.#request.source ?? "receive",
      repositoryId: this.#repositoryId,
    };
  }

  async #commit(root: Root, facts: PushFacts, results: RefResult[]): Promise<PushOutcome | undefined> {
    const log = this.#logWrites(root, facts);
    const refusal = tooMuch(log.length, facts.after.root);
    if (refusal !== undefined) {
      return { kind: "done", results: results.map(({ name }) => ({ name, refusal })) };
    }
    const extraWrites = (await this.#request.extraWrites?.(facts)) ?? [];
    const done: PushOutcome = { kind: "done", results, facts };
    const writes = [replaceRoot(root, facts.after.root), ...log, ...extraWrites];
    try {
      const outcome = await this.#doors.table.transact(writes);
      if (!outcome.committed) return undefined;
    } catch (error) {
      this.#isInDoubt = true;
      if (!(await this.#landed(facts.after.root.v))) throw error;
    }
    remember(this.#doors.table, facts.after.root, facts.after.refs);
    const { pack } = this.#request;
    if (pack !== undefined && this.#isUploaded) {
      processPackCaches.remember(this.#packId, new SideFile(pack.side));
    }
    return done;
  }

  #logWrites(root: Root, facts: PushFacts): Write[] {
    const push: LoggedPush = {
      pushId: this.#pushId,
      pusherId: facts.pusherId,
      timeMs: facts.timeMs,
      packIds: this.#isUploaded ? [this.#packId] : [],
      changes: facts.changes,
    };
    return encodeLog(root.objectFormat, push).map((bytes, chunk) => {
      const item: LogItem = {
        ...logKey(this.#repositoryId, facts.after.root.v, chunk),
        changes: bytes,
        _v: 1,
      };
      return put(item, absent);
    });
  }

  /** Whether the log item of a version is this push's: how a lost answer is settled. */
  async #landed(v: number): Promise<boolean> {
    const item = await this.#doors.table.get<LogItem>(logKey(this.#repositoryId, v, 0));
    return item !== undefined && decodeLogChunk(item.changes).pushId === this.#pushId;
  }

  /** Takes back what was uploaded for nothing. Kept where the transaction's fate is in doubt: a sweep finds it. */
  async discard(): Promise<void> {
    if (!this.#isUploaded || this.#isInDoubt) return;
    const target = { key: packFileKey(this.#repositoryId, this.#packId) };
    try {
      await this.#doors.blobs.remove([packKey(target), sideKey(target)]);
    } catch (error) {
      this.#doors.log.warn("git:discard-pack", { repositoryId: this.#repositoryId, key: target.key, error });
    }
  }
}

const plainUpdate = (name: string, id: string | undefined) => ({
  name,
  entry: id === undefined ? undefined : { name, id, pusherId: 0, updatedMs: 0 },
});

const resultsOf = (changes: readonly RefChange[], verdicts: readonly Verdict[]): RefResult[] =>
  changes.map(({ name }, index) => {
    const refusal = verdicts[index];
    return refusal === undefined ? { name } : { name, refusal };
  });

/** By how much the refs under a prefix grow. */
function created(changes: readonly LoggedChange[], prefix: string): number {
  const own = changes.filter(({ name }) => name.startsWith(prefix));
  return (
    own.filter(({ old }) => old === undefined).length -
    own.filter((change) => change.new === undefined).length
  );
}

function tooMuch(chunks: number, root: Root): Verdict {
  if (chunks > mostChunks) return "too many refs in one push; push them in parts of 20,000";
  if (root.packs.length > mostPacks)
    return "too many packs; the repository needs maintenance before it takes more";
  return undefined;
}
