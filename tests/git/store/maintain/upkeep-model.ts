import type { Forge } from "#core/forge";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import { PackCaches, processPackCaches } from "#core/git/pack/pack-caches";
import { openPackSet } from "#core/git/pack/pack-set";
import type { RefChange } from "#core/git/refs/check-changes";
import { forkGit } from "#core/git/store/fork";
import { packGraceMs, sweepDuePacks, sweepPacks } from "#core/git/store/maintain/sweep-packs";
import { commitPush } from "#core/git/store/push/commit-push";
import { compactRefs } from "#core/git/store/refs/compaction";
import type { Root } from "#core/git/store/refs/refs.table";
import { type RefSnapshot, readRoot, readSnapshot } from "#core/git/store/refs/snapshot";
import { sweepRefLogs, sweepRefSegments } from "#core/git/store/refs/sweep";
import { newRoot } from "#core/git/store/store";
import type { TestForge } from "#tests/support/forge";
import { type Interleaving, interleave } from "#tests/support/race/interleave";
import type { Random } from "#tests/support/random";
import { type MadeCommit, makeCommit } from "../made-objects.ts";
import { Bell } from "./bell.ts";
import { type Consolidator, rightConsolidator } from "./consolidators.ts";
import { Process } from "./killed-process.ts";

const main = "refs/heads/main";
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The clock does not run further while one request reads: segments that it knows of stay an hour. */
const longestReadMs = 50 * minuteMs;

/** The concurrent activity. */
export interface UpkeepOptions {
  readonly repositoryId: number;
  readonly format: ObjectFormat;
  readonly pushers: number;
  /** The least work of each pusher. */
  readonly pushes: number;
  readonly crashChance?: number;
  readonly consolidator?: Consolidator;
}

/** The events, and the violations: empty when all is well. */
export interface UpkeepReport {
  readonly violations: readonly string[];
  readonly won: { readonly compactions: number; readonly consolidations: number };
  /** How often a sweep has removed packs. */
  readonly sweeps: number;
  readonly crashes: number;
  readonly landed: number;
}

/**
 * Plays pushes, forks, compactions of the refs, consolidations of the packs, sweeps and readers on one ROOT, request by
 * request in any order, while the clock runs on by minutes, hours and days. Then sweeps to the end and checks
 * everything.
 */
export async function runUpkeepModel(
  on: TestForge,
  random: Random,
  options: UpkeepOptions,
): Promise<UpkeepReport> {
  const run = new UpkeepRun(on, random, options);
  try {
    await run.go();
    if (run.violations.length === 0) await run.checkEnd();
  } catch (error) {
    run.violations.push(`somebody failed: ${(error as Error).stack}`);
  }
  return run;
}

class UpkeepRun implements UpkeepReport {
  readonly violations: string[] = [];
  readonly won = { compactions: 0, consolidations: 0 };
  crashes = 0;
  readonly #on: TestForge;
  readonly #random: Random;
  readonly #options: UpkeepOptions;
  readonly #turns: Interleaving;
  /** Refs by name, as those who alone push them have them; and the commits that were ever pushed, by id. */
  readonly #refs = new Map<string, ObjectId>();
  readonly #commits = new Map<ObjectId, MadeCommit>();
  /** The branch that all push: the value that each value was put on. */
  readonly #landedOnMain = new Map<ObjectId, ObjectId | undefined>();
  readonly #forks: number[] = [];
  readonly #consolidated = new Bell();
  readonly #pushed = new Bell();
  readonly #swept = new Bell();
  #acknowledged = 0;
  #pushing: number;
  #readingSince: number | undefined;

  constructor(on: TestForge, random: Random, options: UpkeepOptions) {
    this.#on = on;
    this.#random = random;
    this.#options = options;
    this.#turns = interleave(on.forge, random);
    this.#pushing = options.pushers + 1;
  }

  get landed(): number {
    return this.#commits.size;
  }

  get sweeps(): number {
    return this.#on.logged.filter(({ event }) => event === "git:swept").length;
  }

  async go(): Promise<void> {
    const { repositoryId, format, pushers, crashChance = 0 } = this.#options;
    await this.#on.forge.table.write(newRoot(repositoryId, { format, defaultBranch: "main" }));
    for (let at = 0; at < pushers; at += 1) {
      const own = [0, 1, 2].map((number) => `refs/heads/p${at}/${number}`);
      this.#start(crashChance, (process) => this.#pushOn(() => this.#pushOwn(process, own)));
    }
    this.#start(0, (process) => this.#pushOn(() => this.#alive(process, (forge) => this.#pushMain(forge))));
    for (const work of [
      this.#foldOn,
      this.#foldOn,
      this.#consolidateOn,
      this.#consolidateOn,
      this.#sweepOn,
    ]) {
      this.#start(crashChance, (process) => work.call(this, process));
    }
    this.#start(0, ({ forge }) => this.#readOn(forge));
    this.#start(0, ({ forge }) => this.#forkOn(forge));
    await this.#turns.run();
  }

  #start(crashChance: number, actor: (process: Process) => Promise<void>): void {
    const options = { lagSteps: 30, itemsPerQuery: 7, isBucketToo: true, crashChance };
    this.#turns.start(() => actor(new Process(this.#turns, options)));
  }

  /** Pushes until it has done its part and the others have had something to do. */
  async #pushOn(push: () => Promise<void>): Promise<void> {
    const isEnough = () =>
      this.won.compactions > 1 && this.won.consolidations > 1 && this.sweeps > 0 && this.#forks.length > 0;
    for (let done = 0; (done < this.#options.pushes || !isEnough()) && !this.#isOver(); done += 1) {
      this.#letTimePass(
        this.#random.pick([...Array(7).fill(minuteMs), hourMs, 4 * hourMs, packGraceMs + hourMs]),
      );
      await push();
      this.#pushed.ring();
      if (done % 3 === 2) await this.#consolidated.next();
      // A sweep gives way to whoever writes ROOT: now and then all pushers let one come to its end.
      if (done % 4 !== 3) continue;
      this.#letTimePass(packGraceMs + hourMs);
      await this.#swept.next();
    }
    this.#pushing -= 1;
    this.#pushed.ring();
  }

  #isOver(): boolean {
    return this.violations.length > 0;
  }

  #letTimePass(passed: number): void {
    const { clock } = this.#on;
    const latest = (this.#readingSince ?? Number.POSITIVE_INFINITY) + longestReadMs;
    clock.advance(Math.max(0, Math.min(passed, latest - clock.now())));
  }

  /** Does a piece of work; a process that is killed over it is followed by another. */
  async #alive(process: Process, work: (forge: Forge) => Promise<void>): Promise<void> {
    try {
      await work(process.forge);
    } catch (error) {
      // Actors share the caches of packs: what another one was killed over fails here, too.
      if (!process.isDead && !this.#isOfCrash(error)) throw error;
      this.crashes += 1;
      process.revive();
    }
  }

  #isOfCrash(error: unknown): boolean {
    const { crashChance = 0 } = this.#options;
    return crashChance > 0 && /process was killed|can't be put together/.test(String(error));
  }

  /** Of branches that nobody else pushes, one or more move, come or go. */
  async #pushOwn(process: Process, own: readonly string[]): Promise<void> {
    const commit = makeCommit(this.#options.format, [...this.#refs.values()].slice(0, 2));
    const names = own.filter((_, at) => at === 0 || this.#random.chance(0.4));
    const changes = names.map((name, at): RefChange => {
      const old = this.#refs.get(name);
      const isEnd = at > 0 && old !== undefined && this.#random.chance(0.5);
      return { name, ...(old && { old }), ...(isEnd ? {} : { new: commit.id }) };
    });
    const { root, refs } = await this.#land(process, commit, changes);
    const isAsMeant = changes.every((change) => refs.find(change.name)?.id === change.new);
    const isAsBefore = changes.every((change) => refs.find(change.name)?.id === change.old);
    if (!isAsMeant && !isAsBefore) this.violations.push(`version ${root.v} holds a push by halves`);
    if (!isAsMeant) return;
    this.#commits.set(commit.id, commit);
    for (const { name, new: id } of changes)
      id === undefined ? this.#refs.delete(name) : this.#refs.set(name, id);
  }

  /** Pushes; the refs afterwards, whatever became of it. What a killed push has not done by then, it never does. */
  async #land(process: Process, commit: MadeCommit, changes: readonly RefChange[]): Promise<RefSnapshot> {
    const { repositoryId } = this.#options;
    let least = this.#acknowledged;
    await this.#alive(process, async (forge) => {
      const request = { pack: commit.pack, changes, pusherId: 1, budgetMs: 1e9 };
      const outcome = await commitPush(forge, repositoryId, request);
      if (outcome.kind === "gone") this.violations.push("the repository is gone");
      if (outcome.kind !== "done") return;
      least = outcome.facts?.after.root.v ?? least;
      for (const { refusal } of outcome.results) if (refusal) this.violations.push(`refused: ${refusal}`);
    });
    const snapshot = await readSnapshot(this.#fresh().table, repositoryId);
    if (snapshot === undefined) throw new Error("there is no ROOT");
    this.#acknowledged = Math.max(this.#acknowledged, least);
    if (snapshot.root.v < least) this.violations.push(`version ${least} is not read after it landed`);
    return snapshot;
  }

  readonly #fresh = (): Forge => ({ ...this.#on.forge, table: { ...this.#on.forge.table } });

  /** To a branch that others would push as well: what it stands on has to be what it found. */
  async #pushMain(forge: Forge): Promise<void> {
    const { repositoryId, format } = this.#options;
    const before = await readSnapshot(forge.table, repositoryId);
    const old = before?.refs.find(main)?.id;
    const rivals = [0, 1].map(() => makeCommit(format, old === undefined ? [] : [old]));
    await Promise.all(
      rivals.map(async (commit) => {
        const change = { name: main, new: commit.id, ...(old && { old }) };
        const outcome = await commitPush(forge, repositoryId, {
          ...{ pack: commit.pack, changes: [change], pusherId: 2, budgetMs: 1e9 },
        });
        if (outcome.kind !== "done" || outcome.facts === undefined) return;
        this.#acknowledged = Math.max(this.#acknowledged, outcome.facts.after.root.v);
        this.#commits.set(commit.id, commit);
        if ([...this.#landedOnMain.values()].includes(old)) this.violations.push(`two landed upon ${old}`);
        this.#landedOnMain.set(commit.id, old);
        this.#refs.set(main, commit.id);
      }),
    );
  }

  async #foldOn(process: Process): Promise<void> {
    while (this.#pushing > 0) {
      await this.#awake(process, hourMs, async (forge) => {
        const outcome = await compactRefs(forge, this.#options.repositoryId, { least: 3 });
        if (outcome === "compacted") this.won.compactions += 1;
      });
    }
  }

  async #consolidateOn(process: Process): Promise<void> {
    const { consolidator = rightConsolidator, repositoryId } = this.#options;
    while (this.#pushing > 0) {
      await this.#awake(process, packGraceMs, async (forge) => {
        if (await consolidator(forge, repositoryId)) this.won.consolidations += 1;
      });
      this.#consolidated.ring();
    }
  }

  /** A piece of upkeep. One that sleeps for as long as replaced things are kept finds them gone. */
  async #awake(process: Process, keptMs: number, work: (forge: Forge) => Promise<void>): Promise<void> {
    const startedAt = this.#on.clock.now();
    await this.#alive(process, async (forge) => {
      try {
        await work(forge);
      } catch (error) {
        if (process.isDead || this.#on.clock.now() - startedAt < keptMs) throw error;
      }
    });
  }

  async #sweepOn(process: Process): Promise<void> {
    while (this.#pushing > 0) {
      await this.#alive(process, async (forge) => {
        await sweepRefSegments(forge);
        await sweepRefLogs(forge);
        await sweepDuePacks(forge);
        const report = await sweepPacks(forge, this.#options.repositoryId);
        if (report !== undefined) this.#swept.ring();
      });
    }
  }

  async #readOn(forge: Forge): Promise<void> {
    while (this.#pushing > 0) {
      this.#readingSince = this.#on.clock.now();
      const least = this.#acknowledged;
      try {
        const snapshot = await readSnapshot(forge.table, this.#options.repositoryId);
        if ((snapshot?.root.v ?? -1) < least) this.violations.push(`read is less than version ${least}`);
        if (snapshot !== undefined) await this.#readTips(forge, snapshot);
      } catch (error) {
        this.violations.push(`a reader failed: ${error}`);
      }
      this.#readingSince = undefined;
      if (this.#pushing > 0) await this.#pushed.next();
    }
  }

  async #readTips({ blobs }: Forge, { root, refs }: RefSnapshot): Promise<void> {
    const packs = await openPackSet(blobs, root.objectFormat, root.packs, new PackCaches());
    for (const { name, id } of refs.entries) {
      if ((await packs.read(id)).type !== "commit") this.violations.push(`${name} leads to no commit`);
    }
  }

  async #forkOn(forge: Forge): Promise<void> {
    for (let number = 1; number <= 2 && this.#pushing > 0; number += 1) {
      await this.#consolidated.next();
      const id = this.#options.repositoryId + 500_000 * number;
      const { kind } = await forkGit(forge, this.#options.repositoryId, id, () => []);
      if (kind === "done") this.#forks.push(id);
    }
  }

  /** With all quiet: everything is there, things kept up to the end still are, and nothing else is left. */
  async checkEnd(): Promise<void> {
    const { forge, clock } = this.#on;
    const { repositoryId } = this.#options;
    await this.#checkWhole();
    await compactRefs(forge, repositoryId, { least: 1 });
    while (await rightConsolidator(forge, repositoryId));
    for (let look = 0; look < 3; look += 1) {
      clock.advance(packGraceMs + 1);
      while ((await sweepRefSegments(forge)) + (await sweepRefLogs(forge)) > 0);
      while ((await sweepPacks(forge, repositoryId)) === undefined);
    }
    const root = await this.#checkWhole();
    const rows = await forge.table.queryAll({ pk: `R#${repositoryId}#G` });
    const expected = ["ROOT", ...root.segments.map((id) => `S#${id}`)];
    this.#compare(
      "items",
      rows.map(({ sk }) => sk),
      expected,
    );
    const roots = [root, ...(await Promise.all(this.#forks.map((id) => readRoot(forge.table, id))))];
    const named = roots
      .flatMap((one) => one?.packs ?? [])
      .filter((pack) => pack.repositoryId === repositoryId);
    const stored: string[] = [];
    for await (const { key } of forge.blobs.list(`r/${repositoryId}/p/`)) stored.push(key);
    const files = [...new Set(named.map(({ key }) => key))].flatMap((key) => [`${key}.pack`, `${key}.side`]);
    this.#compare("files", stored, files);
  }

  #compare(what: string, found: readonly string[], expected: readonly string[]): void {
    if ([...found].sort().join() === [...expected].sort().join()) return;
    this.violations.push(`${what}: ${found} instead of ${expected}`);
  }

  /** Reads refs and every object of every push that landed as another process would, and what forks show. */
  async #checkWhole(): Promise<Root> {
    processPackCaches.clear();
    const { table, blobs } = this.#fresh();
    const snapshot = await readSnapshot(table, this.#options.repositoryId);
    if (snapshot === undefined) throw new Error("there is no ROOT");
    const { root, refs } = snapshot;
    const shown = refs.entries.map(({ name, id }) => `${name} ${id}`);
    this.#compare(
      "refs",
      shown,
      [...this.#refs].map(([name, id]) => `${name} ${id}`),
    );
    const packs = await openPackSet(blobs, root.objectFormat, root.packs);
    for (const { pack, objects } of this.#commits.values()) {
      for (const [place, id] of pack.ids.entries()) {
        const found = packs.has(id) ? await packs.read(id) : undefined;
        if (found?.data.equals(objects[place]?.data ?? Buffer.alloc(0)) !== true)
          this.violations.push(`object ${id} of a push that landed is not there`);
      }
    }
    for (const id of this.#forks) {
      const fork = await readSnapshot(table, id);
      if (fork !== undefined) await this.#readTips({ ...this.#on.forge, blobs }, fork);
    }
    return root;
  }
}
