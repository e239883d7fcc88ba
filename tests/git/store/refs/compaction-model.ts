import { randomBytes } from "node:crypto";
import type { Forge } from "#core/forge";
import { encodeLog, type LoggedChange } from "#core/git/refs/ref-log";
import { type RefTable, updateOf } from "#core/git/refs/ref-table";
import { compactRefs, planRefCompaction, writeSegments } from "#core/git/store/refs/compaction";
import { logKey, type Root, replaceRoot } from "#core/git/store/refs/refs.table";
import { readRoot, readSnapshot } from "#core/git/store/refs/snapshot";
import { sweepRefLogs, sweepRefSegments } from "#core/git/store/refs/sweep";
import { changeRoot, newRoot } from "#core/git/store/store";
import { absent } from "#core/table/condition";
import { put } from "#core/table/write";
import { SimulatedCrash } from "#tests/support/faults";
import type { TestForge } from "#tests/support/forge";
import { type ActorOptions, type Interleaving, interleave } from "#tests/support/race/interleave";
import type { Random } from "#tests/support/random";

const repositoryId = 3;

/** A way to compact; whether it won. */
export type RefFolder = (forge: Forge) => Promise<boolean>;

/** The concurrent activity. */
export interface RefModelOptions {
  readonly pushers: number;
  readonly folders: number;
  readonly readers: number;
  /** The work of each pusher. */
  readonly pushes: number;
  readonly crashChance?: number;
  readonly folder?: RefFolder;
  /** Ends with the first violation. */
  readonly isFirstEnough?: boolean;
}

/** The events, and the violations: empty when all is well. */
export interface RefModelReport {
  readonly steps: number;
  readonly compactionsWon: number;
  readonly crashes: number;
  readonly violations: readonly string[];
}

/** Runs pushes, compactions, readers and sweeps against the expected state of each version of the refs. */
export async function runRefModel(
  on: TestForge,
  random: Random,
  options: RefModelOptions,
): Promise<RefModelReport> {
  const run = new RefModelRun(on, random, options);
  await run.go();
  if (run.violations.length === 0) await run.checkEnd();
  return run;
}

const textOf = ({ entries }: RefTable): string =>
  entries
    .map((entry) => `${entry.name} ${entry.id} ${entry.peeled} ${entry.record?.subject} ${entry.pusherId}`)
    .join("\n");

class RefModelRun implements RefModelReport {
  compactionsWon = 0;
  crashes = 0;
  readonly violations: string[] = [];
  readonly #on: TestForge;
  readonly #random: Random;
  readonly #options: RefModelOptions;
  readonly #turns: Interleaving;
  /** What a version of the refs may be: what those who tried to make it meant. */
  readonly #meant = new Map<number, Set<string>>([[0, new Set([""])]]);
  #acknowledged = 0;
  #pushing: number;

  constructor(on: TestForge, random: Random, options: RefModelOptions) {
    this.#on = on;
    this.#random = random;
    this.#options = options;
    this.#turns = interleave(on.forge, random);
    this.#pushing = options.pushers;
  }

  get steps(): number {
    return this.#turns.steps;
  }

  async go(): Promise<void> {
    const { pushers, folders, readers } = this.#options;
    await this.#on.forge.table.write(newRoot(repositoryId, { format: "sha1", defaultBranch: "main" }));
    await this.#push(this.#on.forge, this.#many(700));
    for (let at = 0; at < pushers; at += 1) this.#turns.start(() => this.#pushOn());
    for (let at = 0; at < folders; at += 1) this.#turns.start(() => this.#foldOn());
    for (let at = 0; at < readers; at += 1) this.#turns.start(() => this.#readOn());
    this.#turns.start(() => this.#sweepOn());
    await this.#turns.run();
  }

  #process(options: ActorOptions = {}): Forge {
    return this.#turns.process({ lagSteps: 30, itemsPerQuery: 7, ...options });
  }

  async #pushOn(): Promise<void> {
    const { crashChance = 0, pushes } = this.#options;
    let forge = this.#process({ crashChance });
    for (let done = 0; done < pushes && !this.#isOver(); done += 1) {
      this.#on.clock.advance(60_000);
      const isBig = this.#random.chance(0.05);
      try {
        await this.#push(forge, this.#many(isBig ? 200 : 1 + this.#random.integer(5)));
      } catch (error) {
        forge = this.#revive(error, { crashChance });
      }
    }
    this.#pushing -= 1;
  }

  #isOver(): boolean {
    return this.violations.length > 0 && this.#options.isFirstEnough === true;
  }

  #revive(error: unknown, options: ActorOptions): Forge {
    if (!(error instanceof SimulatedCrash)) throw error;
    this.crashes += 1;
    return this.#process(options);
  }

  /** Names of a push; some go, some come. */
  #many(count: number): string[] {
    const names = new Set<string>();
    while (names.size < count) names.add(`refs/heads/b${this.#random.integer(900)}`);
    return [...names];
  }

  async #push(forge: Forge, names: readonly string[]): Promise<void> {
    const before = await readSnapshot(forge.table, repositoryId);
    if (before === undefined) throw new Error("there is no ROOT");
    const changes = names.map((name) => this.#change(name, before.refs));
    const version = before.root.v + 1;
    const [pusherId, timeMs] = [this.#random.integer(5), this.#on.clock.now()];
    const refs = before.refs.with(changes.map((change) => updateOf(change, pusherId, timeMs)));
    const meant = this.#meant.get(version) ?? new Set();
    this.#meant.set(version, meant.add(textOf(refs)));
    const pushId = randomBytes(8).toString("hex");
    const chunks = encodeLog("sha1", { pushId, pusherId, timeMs, packIds: [], changes });
    const { committed } = await forge.table.transact([
      replaceRoot(before.root, { v: version }),
      ...chunks.map((bytes, at) =>
        put({ ...logKey(repositoryId, version, at), changes: bytes, _v: 1 }, absent),
      ),
    ]);
    if (!committed) return;
    this.#meant.set(version, new Set([textOf(refs)]));
    this.#acknowledged = Math.max(this.#acknowledged, version);
  }

  #change(name: string, refs: RefTable): LoggedChange {
    const old = refs.find(name)?.id;
    const isEnd = old !== undefined && this.#random.chance(0.3);
    const id = randomBytes(20).toString("hex");
    const author = { name: "A", email: "a@example.com" };
    const record = { subject: `of ${name}`, author, committedSeconds: 1, committedZone: "+0000" };
    return { name, ...(old && { old }), ...(isEnd ? {} : { new: id, record }) };
  }

  async #foldOn(): Promise<void> {
    const { crashChance = 0, folder = rightCompaction } = this.#options;
    let forge = this.#process({ crashChance });
    while (this.#pushing > 0 && !this.#isOver()) {
      try {
        if (await folder(forge)) this.compactionsWon += 1;
      } catch (error) {
        forge = this.#revive(error, { crashChance });
      }
    }
  }

  async #readOn(): Promise<void> {
    let forge = this.#process();
    while (this.#pushing > 0) {
      const least = this.#acknowledged;
      await this.#read(forge, least);
      if (this.#random.chance(0.5)) forge = this.#process();
    }
  }

  async #read(forge: Forge, least: number): Promise<Root | undefined> {
    const snapshot = await readSnapshot(forge.table, repositoryId);
    const { v = -1 } = snapshot?.root ?? {};
    if (v < least) this.violations.push(`version ${v} is read after ${least} was acknowledged`);
    if (snapshot !== undefined && this.#meant.get(v)?.has(textOf(snapshot.refs)) !== true) {
      this.violations.push(`version ${v} is not what was pushed`);
    }
    return snapshot?.root;
  }

  async #sweepOn(): Promise<void> {
    const forge = this.#process();
    while (this.#pushing > 0) {
      await sweepRefSegments(forge);
      await sweepRefLogs(forge);
    }
  }

  /** With all quiet: read anew, compacted to the end and swept, the refs are the same, and nothing else is left. */
  async checkEnd(): Promise<void> {
    const { forge, clock } = this.#on;
    const fresh = (): Forge => ({ ...forge, table: { ...forge.table } });
    await this.#read(fresh(), this.#acknowledged);
    await compactRefs(forge, repositoryId, { least: 1 });
    clock.advance(25 * 3_600_000);
    while ((await sweepRefSegments(forge)) + (await sweepRefLogs(forge)) > 0);
    const root = await this.#read(fresh(), this.#acknowledged);
    const lying = await forge.table.queryAll({ pk: `R#${repositoryId}#G` });
    const expected = ["ROOT", ...(root?.segments ?? []).map((id) => `S#${id}`)].sort();
    if (root?.base !== root?.v) this.violations.push(`compacted up to ${root?.base} of ${root?.v}`);
    if (
      lying
        .map(({ sk }) => sk)
        .sort()
        .join() !== expected.join()
    )
      this.violations.push(`left are ${lying.map(({ sk }) => sk)}`);
  }
}

const rightCompaction: RefFolder = async (forge) =>
  (await compactRefs(forge, repositoryId, { least: 3 })) === "compacted";

/** A mistake that the model has to find: `base` moves over pushes that came in between. */
export const movesBaseTooFar: RefFolder = async (forge) => {
  const root = await readRoot(forge.table, repositoryId);
  if (root === undefined || root.v - root.base < 3) return false;
  const plan = await planRefCompaction(forge, root);
  await writeSegments(forge, plan);
  const { segments, segmentList } = plan;
  const { kind } = await changeRoot(forge, repositoryId, (current) =>
    current.base === root.base ? { changes: { base: current.v, segments, segmentList } } : undefined,
  );
  return kind === "done";
};
