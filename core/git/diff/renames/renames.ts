import { TaskEnded } from "../../../compute/task.ts";
import { manySteps } from "../../../concurrency/pacer.ts";
import { type ObjectId, objectIdOf } from "../../format/object-format.ts";
import type { History } from "../../history/history.ts";
import { type FileChange, type FileSide, wholeSimilarity } from "../file-change.ts";
import { FileContents } from "../file-content.ts";
import {
  addBest,
  bestExact,
  byScore,
  type Candidate,
  hasSameName,
  isRegular,
  nameWithoutFolders,
  type Source,
  type Target,
  uniqueNames,
} from "./rename-candidates.ts";
import type { RenameInterest } from "./rename-interest.ts";
import { type ComparedFile, fingerprintTask, similaritiesTask, similarityOf } from "./rename-tasks.ts";
import { type Fingerprint, sizesRuleOut } from "./similarity.ts";

/** What to look for; the defaults are those of `git diff`. */
export interface RenameOptions {
  /** Also look for copies of files that were changed or renamed, too. */
  readonly copies?: boolean;
  /** Least similarity, in percent: 50. */
  readonly percent?: number;
  /** Contents are compared only when sources times targets are at most this number squared; absent: 1,000. */
  readonly limit?: number;
  /** False: empty files are never renamed. Merges want that. */
  readonly ofEmptyFiles?: boolean;
  /** Which renames matter; absent: all. */
  readonly interest?: RenameInterest;
  /** Larger files are renamed only when their content is unchanged. */
  readonly largestFile?: number;
}

/**
 * Contents of more bytes in all are not compared: the fingerprints of their lines would all be held and handed over at
 * once.
 */
const mostComparedBytes = 64 * 2 ** 20;

/**
 * Joins a deleted and an added file when one became the other, like `git diff -M` (or `-C`): first files with equal
 * content, then files with the same name and mostly equal content, then the most similar ones.
 */
export async function detectRenames(
  history: History,
  changes: readonly FileChange[],
  options: RenameOptions = {},
): Promise<FileChange[]> {
  const search = new RenameSearch(history, changes, options);
  await search.run();
  return search.result();
}

class RenameSearch {
  readonly #history: History;
  readonly #changes: readonly FileChange[];
  readonly #options: RenameOptions;
  readonly #least: number;
  readonly #emptyFile: ObjectId;
  readonly #sources: Source[] = [];
  readonly #targets: Target[] = [];
  readonly #contents: FileContents;
  readonly #fingerprints = new Map<string, Fingerprint | undefined>();

  constructor(history: History, changes: readonly FileChange[], options: RenameOptions) {
    this.#history = history;
    this.#changes = changes;
    this.#options = options;
    this.#emptyFile = objectIdOf(history.format, "blob", Buffer.alloc(0));
    this.#least = Math.trunc(((options.percent ?? 50) * wholeSimilarity) / 100);
    this.#contents = new FileContents(history, options.largestFile);
    for (const change of changes) this.#register(change);
  }

  #register({ old, new: fresh }: FileChange): void {
    const isTaken = (side: FileSide) => this.#options.ofEmptyFiles !== false || side.id !== this.#emptyFile;
    if (old === undefined) {
      if (fresh !== undefined && isTaken(fresh))
        this.#targets.push({ side: fresh, source: undefined, similarity: 0 });
    } else if (!isTaken(old)) return;
    else if (fresh === undefined) this.#sources.push({ side: old, uses: 0 });
    else if (this.#options.copies === true) this.#sources.push({ side: old, uses: 1 });
  }

  async run(): Promise<void> {
    if (this.#targets.length === 0 || this.#sources.length === 0) return;
    this.#matchExactly();
    this.#options.interest?.startGuessing();
    if (this.#least >= wholeSimilarity) return;
    if (this.#options.copies !== true) await this.#matchNames();
    const sources = this.#culled(this.#freeSources().filter(({ side }) => this.#isRelevant(side)));
    const targets = this.#openTargets();
    const limit = this.#options.limit ?? 1_000;
    if (sources.length === 0 || sources.length * targets.length > limit * limit) return;
    await this.#matchContents(sources, targets);
  }

  #freeSources = (): Source[] =>
    this.#sources.filter(({ uses }) => this.#options.copies === true || uses === 0);

  #isRelevant = ({ path }: FileSide): boolean => this.#options.interest?.isRelevant(path) ?? true;

  #culled(sources: Source[]): Source[] {
    const kept = this.#options.interest?.cull(sources.map(({ side }) => side.path));
    return kept === undefined ? sources : sources.filter(({ side }) => kept.has(side.path));
  }

  #openTargets = (): Target[] => this.#targets.filter(({ source }) => source === undefined);

  #join(target: Target, source: Source, similarity: number): void {
    target.source = source;
    target.similarity = similarity;
    source.uses += 1;
    this.#options.interest?.note(source.side.path, target.side.path);
  }

  #matchExactly(): void {
    const byId = new Map<string, Source[]>();
    for (const source of this.#sources) {
      const known = byId.get(source.side.id);
      if (known === undefined) byId.set(source.side.id, [source]);
      else known.push(source);
    }
    for (const target of this.#targets) {
      const source = bestExact(byId.get(target.side.id) ?? [], target, this.#options.copies === true);
      if (source !== undefined) this.#join(target, source, wholeSimilarity);
    }
  }

  /**
   * Joins files with three quarters of equal content whose name without folders is unique, or which lie where a folder
   * went.
   */
  async #matchNames(): Promise<void> {
    const free = this.#freeSources();
    const open = this.#openTargets();
    const [sources, targets] = [uniqueNames(free), uniqueNames(open)];
    const byPath = new Map(open.map((target) => [target.side.path, target]));
    const least = this.#least + Math.trunc((wholeSimilarity - this.#least) / 2);
    for (const source of free) {
      if (!this.#isRelevant(source.side)) continue;
      const name = nameWithoutFolders(source.side);
      const isUnique = sources.get(name) !== undefined && targets.get(name) !== undefined;
      const guess = this.#options.interest?.guess(source.side.path) ?? "";
      const target = isUnique ? targets.get(name) : byPath.get(guess);
      if (target === undefined || target.source !== undefined) continue;
      const similarity = await this.#similarity(source.side, target.side);
      if (similarity >= least) this.#join(target, source, similarity);
    }
  }

  async #matchContents(sources: readonly Source[], targets: readonly Target[]): Promise<void> {
    const files = [...sources, ...targets].map(({ side }) => side).filter(isRegular);
    if (files.reduce((sum, side) => sum + this.#contents.sizeOf(side), 0) > mostComparedBytes) return;
    await this.#contents.fetch(files);
    const compared = await this.#similarities(sources, targets);
    const candidates: Candidate[] = [];
    for (const [row, target] of targets.entries()) {
      const best: Candidate[] = [];
      for (const [column, source] of sources.entries()) {
        const similarity = compared[row * sources.length + column] as number;
        addBest(best, { target, source, similarity, hasName: hasSameName(source.side, target.side) });
      }
      candidates.push(...best);
      const pause = this.#history.pace(manySteps);
      if (pause !== undefined) await pause;
    }
    candidates.sort(byScore);
    this.#takeBest(candidates, false);
    if (this.#options.copies === true) this.#takeBest(candidates, true);
  }

  /** How alike each target is to each source, target by target. */
  async #similarities(sources: readonly Source[], targets: readonly Target[]): Promise<Uint32Array> {
    const compared = {
      sources: await this.#filesIn(sources),
      targets: await this.#filesIn(targets),
      least: this.#least,
    };
    return this.#history.compute(similaritiesTask, compared).catch((error: unknown) => {
      if (!(error instanceof TaskEnded)) throw error;
      return new Uint32Array(sources.length * targets.length);
    });
  }

  async #filesIn(all: readonly { readonly side: FileSide }[]): Promise<(ComparedFile | undefined)[]> {
    const files: (ComparedFile | undefined)[] = [];
    for (const { side } of all) {
      const pause = this.#history.pace(manySteps);
      if (pause !== undefined) await pause;
      files.push(await this.#file(side));
    }
    return files;
  }

  #takeBest(candidates: readonly Candidate[], mayCopy: boolean): void {
    for (const { target, source, similarity } of candidates) {
      if (similarity < this.#least || similarity === 0) return;
      if (target.source !== undefined || (!mayCopy && source.uses > 0)) continue;
      this.#join(target, source, similarity);
    }
  }

  async #similarity(from: FileSide, to: FileSide): Promise<number> {
    if (!isRegular(from) || !isRegular(to)) return 0;
    if (sizesRuleOut(this.#contents.sizeOf(from), this.#contents.sizeOf(to), this.#least)) return 0;
    const [one, other] = [await this.#file(from), await this.#file(to)];
    const pause = this.#history.pace(manySteps);
    if (pause !== undefined) await pause;
    return similarityOf(one, other, this.#least);
  }

  /** A file to compare by content; undefined for links, submodules and what is too large. */
  async #file(side: FileSide): Promise<ComparedFile | undefined> {
    if (!isRegular(side)) return undefined;
    const fingerprint = await this.#fingerprint(side);
    return fingerprint && { ...fingerprint, id: side.id, sizeBytes: this.#contents.sizeOf(side) };
  }

  async #fingerprint(side: FileSide): Promise<Fingerprint | undefined> {
    if (this.#fingerprints.has(side.id)) return this.#fingerprints.get(side.id);
    const content = await this.#contents.of(side);
    const fingerprint =
      content.kind === "large"
        ? undefined
        : await this.#history.compute(fingerprintTask, {
            data: content.data,
            isText: content.kind === "text",
          });
    this.#fingerprints.set(side.id, fingerprint);
    return fingerprint;
  }

  /** The changes in order: a rename has the place of its new path, and a copied source's last use is the rename. */
  result(): FileChange[] {
    const targets = new Map(this.#targets.map((target) => [target.side, target]));
    const used = new Set(this.#targets.map(({ source }) => source?.side));
    const result: FileChange[] = [];
    for (const change of this.#changes) {
      const { old, new: fresh } = change;
      const target = old === undefined && fresh !== undefined ? targets.get(fresh) : undefined;
      if (target?.source !== undefined) {
        const { source, similarity } = target;
        source.uses -= 1;
        const status = source.uses > 0 ? "copied" : "renamed";
        result.push({ status, old: source.side, new: target.side, similarity });
      } else if (fresh !== undefined || !used.has(old)) result.push(change);
    }
    return result;
  }
}
