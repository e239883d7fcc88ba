import { isBinary } from "../diff/file-content.ts";
import type { ObjectId } from "../format/object-format.ts";
import { canonicalMode, executableMode, symlinkMode, type TreeEntry, typeOfMode } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import { MissingObject } from "../history/object-reader.ts";
import { readEntries } from "../history/read-entries.ts";
import type { Place } from "../pack/pack-set.ts";
import type { ArchivedFile, ArchivedFolder, ArchiveEntry } from "./archive-entry.ts";
import { type AttributeFolder, AttributeReader, type Attributes } from "./attributes.ts";
import type { ArchiveLimits } from "./tree-extent.ts";

/** How a tree's files are written. */
export interface TreeEntriesOptions {
  readonly tree: ObjectId;
  /** Before every path; one that ends in a slash is a folder of the archive too. Latin1. */
  readonly prefix: string;
  readonly limits: Pick<ArchiveLimits, "attributeSteps">;
  /** Changes a file's content by its attributes. Large files stay as they are. */
  convert(content: Buffer, attributes: Attributes, id: ObjectId): Buffer | Promise<Buffer>;
}

/** Files up to this size are held whole; larger ones are streamed and never converted, as in git (512 MiB there). */
const wholeFileBytes = 8 * 2 ** 20;
/** Files are read so many, or so many bytes, at a time. */
const batchFiles = 512;
const batchBytes = 8 * 2 ** 20;

interface PlannedFile {
  readonly kind: ArchivedFile["kind"];
  readonly path: string;
  readonly id: ObjectId;
  readonly place: Place;
  readonly sizeBytes: number;
  readonly attributes: Attributes;
}

type Planned = ArchivedFolder | PlannedFile;

/**
 * The members of a tree's archive in git's order: a folder comes before its content, only if it holds a file, and
 * `export-ignore` leaves things out. Holds a batch of files in memory at a time.
 */
export async function* treeEntries(
  history: History,
  options: TreeEntriesOptions,
): AsyncGenerator<ArchiveEntry> {
  const { tree, prefix, limits } = options;
  if (prefix.endsWith("/")) yield { kind: "folder", path: prefix.replace(/\/+$/, "/"), id: tree };
  let batch: Planned[] = [];
  let bytes = 0;
  for await (const planned of new TreePlan(history, limits.attributeSteps).run(tree)) {
    batch.push(planned);
    if (planned.kind !== "folder" && planned.sizeBytes <= wholeFileBytes) bytes += planned.sizeBytes;
    if (batch.length < batchFiles && bytes < batchBytes) continue;
    yield* readBatch(history, batch, options);
    batch = [];
    bytes = 0;
  }
  yield* readBatch(history, batch, options);
}

async function* readBatch(
  history: History,
  batch: readonly Planned[],
  { prefix, convert }: TreeEntriesOptions,
): AsyncGenerator<ArchiveEntry> {
  const { packs } = history;
  const small = batch.flatMap((one) =>
    one.kind !== "folder" && one.sizeBytes <= wholeFileBytes ? [one] : [],
  );
  const objects = await packs.readMany(
    small.map(({ place }) => place),
    (steps) => history.pace(steps),
  );
  const contents = new Map(small.map((one, index) => [one, objects[index]]));
  for (const planned of batch) {
    const path = prefix + planned.path;
    if (planned.kind === "folder") {
      yield { ...planned, path };
      continue;
    }
    const { kind, id, attributes } = planned;
    const whole = contents.get(planned);
    if (whole === undefined) {
      const isText = attributes.get("diff") === true;
      yield { kind, path, id, isText, sizeBytes: planned.sizeBytes, content: history.stream(planned.place) };
      continue;
    }
    if (whole.type !== "blob") throw new Error(`object ${id} is a ${whole.type}, not a blob`);
    const isAsStored = kind === "symlink" || attributes.size === 0;
    const content = isAsStored ? whole.data : await convert(whole.data, attributes, id);
    yield { kind, path, id, isText: isText(whole.data, attributes), sizeBytes: content.length, content };
  }
}

/** What `diff` says, else what the content looks like. */
function isText(content: Buffer, attributes: Attributes): boolean {
  const told = attributes.get("diff");
  return typeof told === "boolean" ? told : !isBinary(content);
}

/** A folder on the path to the next member. */
interface OpenFolder {
  readonly id: ObjectId;
  /** With a slash at its end; empty for the tree itself. */
  readonly path: string;
  readonly entries: readonly TreeEntry[];
  /** The entry that comes next. */
  at: number;
  readonly attributes: AttributeFolder;
}

/** Walks a tree and lists the members, without their contents. */
class TreePlan {
  readonly #history: History;
  readonly #attributes: AttributeReader;

  constructor(history: History, mostSteps: number) {
    this.#history = history;
    this.#attributes = new AttributeReader(history, { mostSteps });
  }

  /** It holds folders on a stack of its own: nested generators would overflow the language's. */
  async *run(tree: ObjectId): AsyncGenerator<Planned> {
    const open = [await this.#enter(tree, "", undefined)];
    let told = 1;
    for (let folder = open.at(-1); folder !== undefined; folder = open.at(-1)) {
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
      const entry = folder.entries[folder.at];
      folder.at += 1;
      if (entry === undefined) {
        open.pop();
        told = Math.min(told, open.length);
        continue;
      }
      const type = typeOfMode(entry.mode);
      const path = folder.path + entry.path;
      const attributes = await this.#attributes.of(folder.attributes, path, type !== "blob");
      const isLeftOut = attributes.get("export-ignore") === true;
      if (type === "tree") {
        if (!isLeftOut) open.push(await this.#enter(entry.id, `${path}/`, folder.attributes));
        continue;
      }
      // A folder is written right before the first thing in it; git also writes the folder of a file that is left out.
      for (; told < open.length; told += 1) {
        const { path, id } = open[told] as OpenFolder;
        yield { kind: "folder", path, id };
      }
      if (isLeftOut) continue;
      if (type === "blob") yield this.#file(folder.path, entry, attributes);
      else yield { kind: "folder", path: `${path}/`, id: entry.id };
    }
  }

  async #enter(id: ObjectId, path: string, above: AttributeFolder | undefined): Promise<OpenFolder> {
    const entries = await readEntries(this.#history, id);
    return { id, path, entries, at: 0, attributes: await this.#attributes.enter(path, entries, above) };
  }

  #file(above: string, { id, mode, path }: TreeEntry, attributes: Attributes): PlannedFile {
    const place = this.#history.packs.find(id);
    if (place === undefined) throw new MissingObject(id);
    return {
      kind: kindOf(mode),
      path: above + path,
      id,
      place,
      sizeBytes: this.#history.sizeOf(id),
      attributes,
    };
  }
}

function kindOf(mode: number): ArchivedFile["kind"] {
  const canonical = canonicalMode(mode);
  if (canonical === symlinkMode) return "symlink";
  return canonical === executableMode ? "executable" : "file";
}
