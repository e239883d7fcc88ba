import { TaskEnded } from "../../compute/task.ts";
import { manySteps } from "../../concurrency/pacer.ts";
import { defined } from "../../defined.ts";
import { unprocessable } from "../../errors.ts";
import type { FilePatch } from "../../git/diff/read-patch/parse-patch.ts";
import { applyPatchTask, parsePatchTask } from "../../git/diff/read-patch/patch-tasks.ts";
import { directoryMode, executableMode, fileMode, symlinkMode } from "../../git/format/tree.ts";
import type { History } from "../../git/history/history.ts";
import { type FileChanges, writablePath } from "./file-changes.ts";

const mostFiles = 3_000;
/** Files and patches beyond it come by a push. */
const largestFile = 32 * 2 ** 20;
const mostLinesSearched = 20_000_000;
const plainModes: ReadonlySet<number> = new Set([fileMode, executableMode, symlinkMode]);

/** Applies a patch. Unprocessable when it is no patch, or does not apply. */
export async function applyPatch(history: History, changes: FileChanges, text: string): Promise<void> {
  const parsed = await history
    .compute(parsePatchTask, { text: Buffer.from(text).toString("latin1"), mostFiles })
    .catch(tooHard);
  if ("problem" in parsed) throw unprocessable(`[Content]: this patch can't be read: ${parsed.problem}`);
  if (parsed.files.length > mostFiles) throw unprocessable(`[Content]: at most ${mostFiles} files`);
  const application = new Application(history, changes, parsed.files);
  for (const file of parsed.files) await application.apply(file);
  await application.finish();
}

interface PatchedFile {
  readonly mode: number;
  readonly content: Buffer;
}

/**
 * A patch that is being applied. Edits of one file follow each other, as in several mails; a move or copy takes the
 * file as it was at the start, so that two files may change places.
 */
class Application {
  readonly #history: History;
  readonly #changes: FileChanges;
  /** Files as they are by now; undefined for those that are gone. */
  readonly #now = new Map<string, PatchedFile | undefined>();
  /** Paths that are removed, or renamed, by the end. */
  readonly #leaving: ReadonlySet<string | undefined>;
  #linesToSearch = mostLinesSearched;

  constructor(history: History, changes: FileChanges, files: readonly FilePatch[]) {
    this.#history = history;
    this.#changes = changes;
    this.#leaving = new Set(files.flatMap(({ from, to, isCopy }) => (from === to || isCopy ? [] : [from])));
  }

  async apply(file: FilePatch): Promise<void> {
    await this.#history.pace(manySteps);
    const [from, to] = [pathOf(file.from), pathOf(file.to)];
    const isElsewhere = to !== undefined && to !== from;
    const before = from === undefined ? undefined : await this.#read(from, isElsewhere);
    const content = await this.#contentAfter(file, before?.content ?? Buffer.alloc(0));
    if (content === undefined) throw misfit(`it does not apply to ${to ?? from}`);
    if (isElsewhere && (await this.#isTaken(to, file.to))) throw misfit(`${to} exists already`);
    if (from !== undefined && to === undefined) {
      if (content.length > 0) throw misfit(`it deletes ${from} and leaves something of it`);
      this.#now.set(from, undefined);
    }
    if (from !== undefined && isElsewhere && !file.isCopy && !this.#now.has(from))
      this.#now.set(from, undefined);
    if (to !== undefined) this.#now.set(to, { mode: file.mode ?? before?.mode ?? fileMode, content });
    if (file.binary !== undefined && to !== undefined) {
      const id = this.#history.add("blob", content);
      if (!id.startsWith(file.binary.newId)) throw misfit(`it makes another ${to} than it says`);
    }
  }

  async #contentAfter(file: FilePatch, before: Buffer): Promise<Buffer | undefined> {
    const { hunks, binary } = file;
    const asked = { before, file: { hunks, ...defined({ binary }) }, lines: this.#linesToSearch };
    const { content, lines } = await this.#history.compute(applyPatchTask, asked).catch(tooHard);
    this.#linesToSearch = lines;
    return content;
  }

  /** Writes the result down: removals first, so that there is room. */
  async finish(): Promise<void> {
    for (const [path, file] of this.#now) if (file === undefined) this.#changes.take(path);
    for (const [path, file] of this.#now) {
      if (file === undefined) continue;
      const found = await this.#changes.find(path);
      const isReplaced = found !== undefined && plainModes.has(found.mode);
      await this.#changes.place(path, file.mode, file.content, isReplaced);
    }
  }

  async #read(path: string, isAsBefore: boolean): Promise<PatchedFile> {
    const file = isAsBefore || !this.#now.has(path) ? await this.#readOld(path) : this.#now.get(path);
    if (file === undefined) throw misfit(`there is no such file [path: ${path}]`);
    return file;
  }

  async #readOld(path: string): Promise<PatchedFile | undefined> {
    const found = await this.#changes.find(path);
    if (found === undefined || !plainModes.has(found.mode)) return undefined;
    if (this.#history.sizeOf(found.id) > largestFile) throw misfit(`${path} is too large: push it`);
    return { mode: found.mode, content: (await this.#history.object(found.id)).data };
  }

  async #isTaken(path: string, raw: string | undefined): Promise<boolean> {
    if (this.#now.has(path)) return this.#now.get(path) !== undefined;
    if (this.#leaving.has(raw)) return false;
    const found = await this.#changes.find(path);
    return found !== undefined && found.mode !== directoryMode;
  }
}

const misfit = (problem: string) => unprocessable(`[Content]: ${problem}`);

/** A path that may be written, and needs no cleaning. */
function pathOf(raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined;
  const path = Buffer.from(raw, "latin1").toString("utf8");
  const isText = Buffer.from(path).toString("latin1") === raw;
  if (!isText || writablePath("unprocessable", path) !== path) {
    throw misfit(`no file may be called that [path: ${path}]`);
  }
  return path;
}

function tooHard(error: unknown): never {
  if (!(error instanceof TaskEnded)) throw error;
  throw misfit("it takes too long to read or apply: make the commit with git and push it");
}
