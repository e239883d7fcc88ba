import { TaskEnded } from "../../../compute/task.ts";
import { manySteps } from "../../../concurrency/pacer.ts";
import { tooLarge } from "../../../errors.ts";
import { entryName, gitlinkMode } from "../../format/tree.ts";
import type { History } from "../../history/history.ts";
import { abbreviate } from "../../history/short-id.ts";
import { type FileChange, type FileSide, sideOf, similarityPercent } from "../file-change.ts";
import { FileContents } from "../file-content.ts";
import { writeBinaryTask, writeHunksTask } from "../file-tasks.ts";
import { quotePath } from "./quote-path.ts";
import { defaultContext } from "./unified.ts";

/** How a patch is written, and how much of it. */
export interface PatchOptions {
  /** Lines of context; 3 when not given. */
  readonly context?: number;
  /** Digits of ids in `index` lines, more when that is ambiguous; absent, and in binary patches: whole ids. */
  readonly abbreviation?: number;
  /** Writes binary files so that the patch can be applied, instead of saying that they differ. */
  readonly binary?: boolean;
  /** Larger files count as binary; absent: 16 MiB. */
  readonly largestFile?: number;
  /** Bounds of the whole patch; absent: none. A file that would exceed them is left out, and so is the rest. */
  readonly most?: { readonly files?: number; readonly lines?: number; readonly bytes?: number };
}

/** Writes changes in the form of `git diff`, a piece for each file. */
export class PatchWriter {
  readonly #history: History;
  readonly #contents: FileContents;
  readonly #options: PatchOptions;
  #files = 0;
  #lines = 0;
  #bytes = 0;
  #cut: "files" | "lines" | "bytes" | undefined;

  constructor(history: History, options: PatchOptions = {}) {
    this.#history = history;
    this.#options = options;
    this.#contents = new FileContents(history, options.largestFile);
  }

  /** The bound that ended the patch early; undefined when it is whole. */
  get cut(): "files" | "lines" | "bytes" | undefined {
    return this.#cut;
  }

  /** The patch of some changes, file by file. */
  async *write(changes: readonly FileChange[]): AsyncGenerator<Buffer> {
    for (const [at, change] of changes.entries()) {
      if (at % 64 === 0) await this.#contents.fetch(sidesOf(changes.slice(at, at + 64)));
      const pause = this.#history.pace(manySteps);
      if (pause !== undefined) await pause;
      const patch = await this.#ofFile(change);
      if (!this.#fits(patch)) return;
      yield patch;
    }
  }

  #fits(patch: Buffer): boolean {
    const {
      files = Number.POSITIVE_INFINITY,
      lines,
      bytes = Number.POSITIVE_INFINITY,
    } = this.#options.most ?? {};
    this.#files += 1;
    this.#bytes += patch.length;
    if (lines !== undefined) this.#lines += countLines(patch);
    if (this.#files > files) this.#cut = "files";
    else if (this.#bytes > bytes) this.#cut = "bytes";
    else if (lines !== undefined && this.#lines > lines) this.#cut = "lines";
    return this.#cut === undefined;
  }

  /** A change of kind is shown as a deletion and an addition. */
  async #ofFile(change: FileChange): Promise<Buffer> {
    if (change.status !== "type-changed") return this.#ofPair(change);
    const { old, new: fresh } = change as Required<FileChange>;
    return Buffer.concat([
      await this.#ofPair({ status: "deleted", old }),
      await this.#ofPair({ status: "added", new: fresh }),
    ]);
  }

  async #ofPair(change: FileChange): Promise<Buffer> {
    const { abbreviation } = this.#options;
    const header = Buffer.from(this.#header(change, abbreviation), "latin1");
    const { old, new: fresh } = change;
    if (old?.id === fresh?.id) return header;
    const [before, after] = [await this.#contents.of(old), await this.#contents.of(fresh)];
    const names = { old: nameOf(old, "a/"), new: nameOf(fresh, "b/") };
    if (before.kind !== "text" || after.kind !== "text") {
      if (this.#options.binary === true && before.kind !== "large" && after.kind !== "large") {
        // Applying a binary patch looks both ids up: git accepts only whole ids there.
        const whole = Buffer.from(this.#header(change, undefined), "latin1");
        const pair = { before: before.data, after: after.data };
        const patch = await this.#history.compute(writeBinaryTask, pair).catch(tooHard(change));
        return Buffer.concat([whole, patch]);
      }
      const words = `Binary files ${names.old} and ${names.new} differ\n`;
      return Buffer.concat([header, Buffer.from(words, "latin1")]);
    }
    const texts = {
      ...{ before: before.data, after: after.data },
      context: this.#options.context ?? defaultContext,
    };
    const hunks = await this.#history.compute(writeHunksTask, texts).catch(tooHard(change));
    if (hunks.length === 0) return header;
    const labels = `--- ${labelOf(names.old)}\n+++ ${labelOf(names.new)}\n`;
    return Buffer.concat([header, Buffer.from(labels, "latin1"), hunks]);
  }

  #header({ status, old, new: fresh, similarity = 0 }: FileChange, abbreviation: number | undefined): string {
    const [from, to] = [(old ?? fresh) as FileSide, (fresh ?? old) as FileSide];
    const lines = [`diff --git ${quotePath(from.path, "a/")} ${quotePath(to.path, "b/")}`];
    if (old === undefined) lines.push(`new file mode ${modeText(to)}`);
    else if (fresh === undefined) lines.push(`deleted file mode ${modeText(from)}`);
    else if (from.mode !== to.mode) lines.push(`old mode ${modeText(from)}`, `new mode ${modeText(to)}`);
    if (status === "renamed" || status === "copied") {
      const verb = status === "renamed" ? "rename" : "copy";
      lines.push(`similarity index ${similarityPercent(similarity)}%`);
      lines.push(`${verb} from ${quotePath(from.path)}`, `${verb} to ${quotePath(to.path)}`);
    }
    if (old?.id !== fresh?.id) {
      const mode = old?.mode === fresh?.mode ? ` ${modeText(to)}` : "";
      const [before, after] = [this.#id(old, abbreviation), this.#id(fresh, abbreviation)];
      lines.push(`index ${before}..${after}${mode}`);
    }
    return `${lines.join("\n")}\n`;
  }

  #id(side: FileSide | undefined, abbreviation: number | undefined): string {
    const length = this.#history.idLength;
    if (side === undefined) return "0".repeat(abbreviation ?? length);
    if (abbreviation === undefined) return side.id;
    return abbreviate(this.#history.packs, side.id, abbreviation);
  }
}

const tooHard =
  (change: FileChange) =>
  (error: unknown): never => {
    if (!(error instanceof TaskEnded)) throw error;
    throw tooLarge(
      `comparing ${entryName(sideOf(change).path)} takes too long here: fetch it and use git diff`,
    );
  };

/** Six octal digits. */
export const modeText = ({ mode }: Pick<FileSide, "mode">): string => mode.toString(8).padStart(6, "0");

const nameOf = (side: FileSide | undefined, prefix: string): string =>
  side === undefined ? "/dev/null" : quotePath(side.path, prefix);

/** A tab ends a name with spaces, so that `patch` knows where it ends. */
const labelOf = (name: string): string => (name.includes(" ") ? `${name}\t` : name);

function sidesOf(changes: readonly FileChange[]): FileSide[] {
  return changes
    .flatMap(({ old, new: fresh }) => (old?.id === fresh?.id ? [] : [old, fresh]))
    .filter((side) => side !== undefined && side.mode !== gitlinkMode) as FileSide[];
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count += 1;
  return count;
}
