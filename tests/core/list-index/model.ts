import type { Forge } from "#core/forge";
import { issueIndex } from "#core/issue/issue.index";
import { type Issue, indexEntry, issueKey } from "#core/issue/issue.table";
import { decodeIssue } from "#core/issue/issue-entry";
import { readContents } from "#core/list-index/contents";
import { compact, inGroups, planOf, writeColumns } from "#core/list-index/internal/compaction";
import { readDelta } from "#core/list-index/internal/delta";
import { deltaWrite, listFromIndex, tombstoneWrite } from "#core/list-index/list-index";
import { manifestWrite, readManifest } from "#core/list-index/manifest";
import { walk } from "#core/list-index/range";
import { sweepSegments } from "#core/list-index/sweep";
import { BrokenSegments, loadRanges, makeView } from "#core/list-index/view";
import { absent, equals } from "#core/table/condition";
import { put, remove } from "#core/table/write";
import { SimulatedCrash } from "#tests/support/faults";
import { makeForge, type TestForge } from "#tests/support/forge";
import { type Interleaving, interleave } from "#tests/support/race/interleave";
import { createRandom, type Random } from "#tests/support/random";

const repositoryId = 12;
/** A list index whose segments hold eight numbers each, so that few issues make many. */
const index = (() => {
  const issues = issueIndex(repositoryId);
  const layout = { ...issues.layout, span: 8 };
  return { ...issues, layout, kind: { ...issues.kind, layout } };
})();

/** A way to compact; true when it won. */
export type Folder = (forge: Forge) => Promise<boolean>;
/** A way to read everything: versions by number. */
export type Reader = (forge: Forge) => Promise<Map<number, number>>;

/** The concurrent activity. */
export interface ModelOptions {
  readonly writers: number;
  readonly folders: number;
  readonly readers: number;
  /** The work of each writer. */
  readonly writes: number;
  readonly numbers: number;
  readonly crashChance?: number;
  /** Chance that a write is the issue's end. */
  readonly endChance?: number;
  /** Chance that a segment is thrown away or scribbled on, for each write. */
  readonly damageChance?: number;
  readonly folder?: Folder;
  readonly reader?: Reader;
  /** Ends with the first violation. */
  readonly isFirstEnough?: boolean;
}

/** The events, and the violations: empty when all is well. */
export interface ModelReport {
  readonly steps: number;
  readonly compactionsWon: number;
  readonly compactionsLost: number;
  readonly crashes: number;
  readonly violations: readonly string[];
}

/** Runs writers, compactions, readers and sweepers against a plain list of everything acknowledged. */
export async function runModel(on: TestForge, random: Random, options: ModelOptions): Promise<ModelReport> {
  const run = new ModelRun(on, random, options);
  await run.go();
  if (run.violations.length === 0) await run.checkEnd();
  return run;
}

/** Plays until a mistake shows as a violation: one run may miss it. */
export const showsUp = (options: ModelOptions, mostRuns = 25): Promise<boolean> =>
  playUntil(({ violations }) => violations.length > 0, { ...options, isFirstEnough: true }, mostRuns);

/** Plays until a compaction loses: one run may see none. */
export const isLost = (options: ModelOptions, mostRuns = 25): Promise<boolean> =>
  playUntil(({ compactionsLost }) => compactionsLost > 0, options, mostRuns);

async function playUntil(
  hasCome: (report: ModelReport) => boolean,
  options: ModelOptions,
  mostRuns: number,
): Promise<boolean> {
  for (let tries = 0; tries < mostRuns; tries += 1) {
    const world = await makeForge();
    try {
      if (hasCome(await runModel(world, createRandom(), { ...options, writes: 60 }))) return true;
    } finally {
      await world.stop();
    }
  }
  return false;
}

class ModelRun implements ModelReport {
  compactionsWon = 0;
  compactionsLost = 0;
  crashes = 0;
  readonly violations: string[] = [];
  readonly #on: TestForge;
  readonly #random: Random;
  readonly #options: ModelOptions;
  readonly #turns: Interleaving;
  /** The acknowledged state: the version, 0 for gone. */
  readonly #known = new Map<number, { version: number; isGone: boolean }>();
  /** Every version that somebody began to write, and whether an end was begun. */
  readonly #begun = new Map<number, { versions: Set<number>; isEnding: boolean }>();
  #writing: number;

  constructor(on: TestForge, random: Random, options: ModelOptions) {
    this.#on = on;
    this.#random = random;
    this.#options = options;
    this.#turns = interleave(on.forge, random);
    this.#writing = options.writers;
  }

  get steps(): number {
    return this.#turns.steps;
  }

  async go(): Promise<void> {
    const { writers, folders, readers } = this.#options;
    for (let at = 0; at < writers; at += 1) this.#turns.start(() => this.#write());
    for (let at = 0; at < folders; at += 1) this.#turns.start(() => this.#foldOn());
    for (let at = 0; at < readers; at += 1) this.#turns.start(() => this.#readOn());
    this.#turns.start(() => this.#sweepOn());
    await this.#turns.run();
  }

  async #write(): Promise<void> {
    const forge = this.#turns.process();
    for (let done = 0; done < this.#options.writes && this.#writing > 0; done += 1) {
      this.#on.clock.advance(10_000);
      await this.#change(forge, 1 + this.#random.integer(this.#options.numbers));
      if (this.#random.chance(this.#options.damageChance ?? 0)) await this.#damage(forge);
    }
    this.#writing -= 1;
  }

  async #change(forge: Forge, number: number): Promise<void> {
    const key = issueKey(repositoryId, number);
    const begun = this.#begun.get(number) ?? { versions: new Set(), isEnding: false };
    this.#begun.set(number, begun);
    const old = await forge.table.get<Issue>(key);
    if (old === undefined && this.#known.get(number)?.isGone === true) return; // numbers are not given twice
    if (old === undefined && begun.isEnding) return;
    const version = (old?.v ?? 0) + 1;
    const issue = this.#anyIssue(number, version);
    const isEnd = old !== undefined && this.#random.chance(this.#options.endChance ?? 0.1);
    const condition = old === undefined ? absent : equals({ v: old.v });
    if (isEnd) begun.isEnding = true;
    else begun.versions.add(version);
    const { committed } = await forge.table.transact(
      isEnd
        ? [remove(key, condition), tombstoneWrite(index, number, indexEntry(issue), version)]
        : [put(issue, condition), deltaWrite(index, number, indexEntry(issue), version)],
    );
    const known = this.#known.get(number);
    if (committed && version > (known?.version ?? 0)) this.#known.set(number, { version, isGone: isEnd });
  }

  #anyIssue(number: number, v: number): Issue {
    const { chance, integer, some } = this.#random;
    const pull = {
      ...{ base: "main", headRepositoryId: repositoryId, head: `topic-${number}`, headId: "", mergeBase: "" },
      ...{ isDraft: false, allowsMaintainerEdit: false },
    };
    return {
      ...issueKey(repositoryId, number),
      ...{ id: number, repositoryId, number, authorId: 1 },
      ...(chance(0.3) ? { kind: "pull", pull } : { kind: "issue" }),
      ...{
        title: "",
        body: "",
        ref: "",
        isClosed: chance(0.5),
        isLocked: false,
        labelIds: some([1, 2, 3], 3),
      },
      ...{ milestoneId: 0, assigneeIds: [], pin: 0, comments: 0, dueAt: 0, closedAt: 0 },
      ...{ createdAt: 1, updatedAt: 1 + integer(1_000), v, _v: 1 },
    };
  }

  async #damage(forge: Forge): Promise<void> {
    const { segments } = await readManifest(forge, index);
    if (segments.length === 0) return;
    const { first, id } = this.#random.pick(segments);
    const key = { pk: index.partition, sk: `S#${String(first).padStart(10, "0")}#${id}` };
    if (this.#random.chance(0.5)) await forge.table.removeAll([key]);
    else await forge.table.write(put({ ...key, b: Buffer.from("scribble"), _v: 1 }));
  }

  async #foldOn(): Promise<void> {
    const { crashChance = 0, folder = rightCompaction } = this.#options;
    let forge = this.#turns.process({ crashChance, lagSteps: 30, itemsPerQuery: 5 });
    while (this.#writing > 0) {
      try {
        if (await folder(forge)) this.compactionsWon += 1;
        else this.compactionsLost += 1;
      } catch (error) {
        if (!(error instanceof SimulatedCrash)) throw error;
        this.crashes += 1;
        forge = this.#turns.process({ crashChance, lagSteps: 30, itemsPerQuery: 5 });
      }
    }
  }

  async #readOn(): Promise<void> {
    const { reader = rightRead, damageChance = 0 } = this.#options;
    while (this.#writing > 0) {
      const forge = this.#turns.process({ lagSteps: 30, itemsPerQuery: 5 });
      const before = new Map(this.#known);
      const isListing = damageChance > 0 || this.#random.chance(0.5);
      const seen = isListing ? await this.#listAll(forge) : await reader(forge);
      this.#compare(before, seen);
    }
  }

  /** A list tells which numbers there are, not their versions. */
  async #listAll(forge: Forge): Promise<Map<number, number | undefined>> {
    const sort = { by: this.#random.pick(["latest", "recentupdate"] as const) };
    const { ids, total } = await listFromIndex(forge, index, { filter: {}, sort, page: 1, limit: 1e6 });
    if (ids.length !== total || new Set(ids).size !== total) this.violations.push(`total ${total} of ${ids}`);
    return new Map(ids.map((id) => [id, undefined]));
  }

  #compare(
    before: ReadonlyMap<number, { version: number; isGone: boolean }>,
    seen: ReadonlyMap<number, number | undefined>,
  ): void {
    for (const [number, { version, isGone }] of before) {
      const found = seen.get(number);
      if (isGone && seen.has(number)) this.violations.push(`${number} has risen again`);
      if (!isGone && !seen.has(number) && this.#begun.get(number)?.isEnding !== true)
        this.violations.push(`${number} is lost`);
      if (!isGone && found !== undefined && found < version)
        this.violations.push(`${number} is shown as ${found}, acknowledged was ${version}`);
    }
    if (this.violations.length > 0 && this.#options.isFirstEnough === true) this.#writing = 0;
    for (const [number, version] of seen) {
      const begun = this.#begun.get(number)?.versions;
      if (begun === undefined || (version !== undefined && !begun.has(version)))
        this.violations.push(`${number} at ${version} is invented`);
    }
  }

  async #sweepOn(): Promise<void> {
    const forge = this.#turns.process();
    while (this.#writing > 0) await sweepSegments(forge);
  }

  /** With all quiet: compacted to the end and swept, the index is the issues, and nothing else is left. */
  async checkEnd(): Promise<void> {
    const { forge, clock } = this.#on;
    const { folder = rightCompaction } = this.#options;
    for (let tries = 0; tries < 10 && (await readDelta(forge, index)).length > 0; tries += 1) {
      await folder(forge);
    }
    clock.advance(4_000_000);
    while ((await sweepSegments(forge)) > 0);
    // A reader that needs a damaged segment repairs it.
    await listFromIndex(forge, index, { filter: {}, sort: { by: "oldest" }, page: 1, limit: 0 });
    await listFromIndex(forge, index, { filter: {}, sort: { by: "recentupdate" }, page: 1, limit: 1e6 });
    clock.advance(4_000_000);
    while ((await sweepSegments(forge)) > 0);
    const { entries, segments, deltaLength } = await readContents(this.#fresh(), index);
    if (deltaLength > 0) this.violations.push(`${deltaLength} entries stay in the delta`);
    for (const { problem } of segments) if (problem !== undefined) this.violations.push(`segment ${problem}`);
    await this.#compareWithItems(entries);
    await this.#checkLeftovers(segments.length);
  }

  #fresh = (): Forge => ({ ...this.#on.forge, table: { ...this.#on.forge.table } });

  async #compareWithItems(entries: ReadonlyMap<number, { bytes: Buffer }>): Promise<void> {
    for (let number = 1; number <= this.#options.numbers; number += 1) {
      const issue = await this.#on.forge.table.get<Issue>(issueKey(repositoryId, number));
      const entry = entries.get(number);
      const expected = issue && JSON.stringify({ ...indexEntry(issue), version: issue.v }, sorted);
      const found = entry && JSON.stringify(decodeIssue(entry.bytes, 0), sorted);
      if (found !== expected) this.violations.push(`${number} in the end: ${found} for ${expected}`);
    }
  }

  async #checkLeftovers(named: number): Promise<void> {
    const lying = await this.#on.forge.table.queryAll({ pk: index.partition, prefix: "S#" });
    if (lying.length !== named)
      this.violations.push(`${lying.length} segments lie about, ${named} are named`);
  }
}

const sorted = (_key: string, value: unknown) =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

const rightCompaction: Folder = async (forge) => (await compact(forge, index)).outcome !== "lost";

const rightRead: Reader = async (forge) => {
  const { entries } = await readContents(forge, index);
  return new Map([...entries].map(([number, { version }]) => [number, version]));
};

/** Mistakes, each with the promise that it breaks; the model has to find every one. */
export const mistakes = {
  /** Reads the manifest before the delta: entries compacted in between are in neither. */
  readsManifestFirst: (async (forge) => {
    const manifest = await readManifest(forge, index);
    const delta = await readDelta(forge, index);
    const { ranges } = makeView(index, delta, manifest);
    const columns = await loadRanges(forge, index, ranges);
    if (columns instanceof BrokenSegments) return mistakes.readsManifestFirst(forge);
    const seen = new Map<number, number>();
    for (const range of ranges) {
      walk(index.layout, range, range.segment && columns.get(range.segment), (row) => {
        seen.set(row.id, row.bytes.readUInt32BE(row.at + index.layout.versionAt));
      });
    }
    return seen;
  }) as Reader,

  /** Names segments by generation: a rival writes over the winner's. */
  namesByGeneration: (async (forge) => {
    const manifest = await readManifest(forge, index);
    const delta = await readDelta(forge, index);
    const id = (manifest.generation + 1).toString(16).padStart(16, "0");
    const plan = await planOf(forge, index, manifest, delta, { newId: () => id });
    if (plan === undefined) return true;
    await inGroups(plan.items, (item) => forge.table.write(put(item)));
    const hasWon = await forge.table.write(manifestWrite(index.partition, manifest, plan.segments));
    if (hasWon) await inGroups(plan.clears, (write) => forge.table.write(write));
    return hasWon;
  }) as Folder,

  /** Removes deltas in the manifest's transaction: any change of any of them cancels the compaction. */
  clearsInTransaction: (async (forge) => {
    const plan = await planOf(forge, index, ...(await inOrder(forge)));
    if (plan === undefined) return true;
    await writeColumns(forge, index, plan);
    const manifest = manifestWrite(index.partition, plan.manifest, plan.segments);
    return (await forge.table.transact([manifest, ...plan.clears])).committed;
  }) as Folder,

  /** Compacts a delta that was read before the manifest: an entry that a rival has compacted to its end comes back. */
  compactsOldDelta: (async (forge) => {
    const delta = await readDelta(forge, index);
    const manifest = await readManifest(forge, index);
    const plan = await planOf(forge, index, manifest, delta);
    if (plan === undefined) return true;
    await writeColumns(forge, index, plan);
    const hasWon = await forge.table.write(manifestWrite(index.partition, manifest, plan.segments));
    if (hasWon) await inGroups(plan.clears, (write) => forge.table.write(write));
    return hasWon;
  }) as Folder,

  /** Clears the delta whatever its versions are by now. */
  clearsWhatIsNewer: (async (forge) => {
    const plan = await planOf(forge, index, ...(await inOrder(forge)));
    if (plan === undefined) return true;
    await writeColumns(forge, index, plan);
    const hasWon = await forge.table.write(manifestWrite(index.partition, plan.manifest, plan.segments));
    if (hasWon)
      for (const clear of plan.clears) if ("remove" in clear) await forge.table.write(remove(clear.remove));
    return hasWon;
  }) as Folder,
};

async function inOrder(forge: Forge) {
  const manifest = await readManifest(forge, index);
  return [manifest, await readDelta(forge, index)] as const;
}
