import { isForgeError } from "../../errors.ts";
import {
  type AttributeFolder,
  AttributeReader,
  type Attributes,
  attributeFileName,
} from "../../git/archive/attributes.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { canonicalMode, symlinkMode, type TreeEntry, typeOfMode } from "../../git/format/tree.ts";
import type { History } from "../../git/history/history.ts";
import { readEntries } from "../../git/history/read-entries.ts";
import type { Languages } from "../language.table.ts";
import { type DetectedLanguage, type Detector, findDetector } from "./detect.ts";
import { type Foreignness, foreignnessOf, isVendoredFolder } from "./foreign.ts";

const attributeNames = ["vendored", "documentation", "generated", "detectable", "language"].map(
  (name) => `linguist-${name}`,
);

/** The most that one count looks at. */
const most = { files: 100_000, elapsedMs: 15_000 };

/** Bytes by language; `isCut`: a bound was met, and some files were left out. */
export interface TreeSizes extends Pick<Languages, "sizes"> {
  readonly isCut: boolean;
}

/** A tree that was counted whole before: the parts that both trees share are not looked at again. */
export interface CountedTree extends Pick<Languages, "sizes"> {
  readonly tree: ObjectId;
}

/**
 * Bytes by language of the files below a tree. Names tell the language, .gitattributes may override them
 * (`linguist-language`, `-vendored`, `-documentation`, `-generated`, `-detectable`); no content is read.
 */
export async function countTree(history: History, tree: ObjectId, before?: CountedTree): Promise<TreeSizes> {
  const sizes = new Map(before?.sizes);
  const detector = await findDetector();
  let isCut = false;
  const count = async (...[sign, counted, other]: [1 | -1, ObjectId, ObjectId?]) => {
    const one = new TreeCount(history, detector);
    isCut = !(await one.run(counted, other)) || isCut;
    for (const [name, bytes] of one.sizes) sizes.set(name, (sizes.get(name) ?? 0) + sign * bytes);
  };
  await count(1, tree, before?.tree);
  if (before !== undefined) await count(-1, before.tree, tree);
  return { sizes: mostFirst(sizes), isCut };
}

const mostFirst = (sizes: ReadonlyMap<string, number>): Languages["sizes"] =>
  [...sizes]
    .filter(([, bytes]) => bytes > 0)
    .sort(([one, bytes], [other, otherBytes]) => otherBytes - bytes || (one < other ? -1 : 1));

interface Folder {
  readonly tree: ObjectId;
  readonly path: string;
  readonly above: AttributeFolder | undefined;
  /** The folder of this path in the other tree, when the same attributes come from above. */
  readonly other: ObjectId | undefined;
}

/** Counts the content of one tree; beside another one only the parts that differ or have other attributes. */
class TreeCount {
  readonly sizes = new Map<string, number>();
  readonly #history: History;
  readonly #detector: Detector;
  readonly #attributes: AttributeReader;
  #files = 0;

  constructor(history: History, detector: Detector) {
    this.#history = history;
    this.#detector = detector;
    this.#attributes = new AttributeReader(history, { obeyed: attributeNames });
  }

  /** Answers false when a bound was met before the end. */
  async run(tree: ObjectId, other: ObjectId | undefined): Promise<boolean> {
    try {
      return await this.#walk(tree, other);
    } catch (error) {
      if (isForgeError(error, "too-large")) return false;
      throw error;
    }
  }

  async #walk(tree: ObjectId, other: ObjectId | undefined): Promise<boolean> {
    const folders: Folder[] = [{ tree, path: "", above: undefined, other }];
    for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
      const entries = await readEntries(this.#history, at.tree);
      const folder = await this.#attributes.enter(at.path, entries, at.above);
      const others = await this.#othersOf(at, entries);
      for (const entry of entries) {
        const pause = this.#history.pace();
        if (pause !== undefined) await pause;
        if (this.#files >= most.files || this.#history.elapsedMs > most.elapsedMs) return false;
        const same = others?.get(entry.path);
        if (same?.id !== entry.id || same.mode !== entry.mode) {
          await this.#entry(entry, { folder, folders, other: same });
        }
      }
    }
    return !this.#attributes.isCut;
  }

  /** The counterparts of a folder's entries in the other tree, when the same attributes apply. */
  async #othersOf(
    { other }: Folder,
    entries: readonly TreeEntry[],
  ): Promise<ReadonlyMap<string, TreeEntry> | undefined> {
    if (other === undefined) return undefined;
    const others = new Map((await readEntries(this.#history, other)).map((entry) => [entry.path, entry]));
    const own = entries.find(({ path }) => path === attributeFileName);
    const its = others.get(attributeFileName);
    return own?.id === its?.id && own?.mode === its?.mode ? others : undefined;
  }

  async #entry(
    entry: TreeEntry,
    { folder, folders, other }: { folder: AttributeFolder; folders: Folder[]; other: TreeEntry | undefined },
  ): Promise<void> {
    const path = `${folder.path}${entry.path}`;
    const type = typeOfMode(entry.mode);
    if (type === "tree") {
      // Only attributes could make something of a vendored folder count.
      const isPassed = isVendoredFolder(`${path}/`) && !hasRules(folder);
      const beside = other !== undefined && typeOfMode(other.mode) === "tree" ? other.id : undefined;
      if (!isPassed) folders.push({ tree: entry.id, path: `${path}/`, above: folder, other: beside });
    } else if (type === "blob" && canonicalMode(entry.mode) !== symlinkMode) {
      this.#files += 1;
      this.#file(entry, path, await this.#attributes.of(folder, path, false));
    }
  }

  #file({ id, path: name }: TreeEntry, path: string, attributes: Attributes): void {
    if (isForeign(foreignnessOf(path), attributes)) return;
    const told = attributes.get("linguist-language");
    const language = typeof told === "string" ? this.#detector.called(told) : this.#detector.ofName(name);
    if (language === undefined || !isCounted(language, attributes)) return;
    this.sizes.set(language.name, (this.sizes.get(language.name) ?? 0) + this.#history.sizeOf(id));
  }
}

const hasRules = (folder: AttributeFolder | undefined): boolean =>
  folder !== undefined && folder.levels.length > 0;

const isForeign = (seen: Foreignness, attributes: Attributes): boolean =>
  said(attributes, "vendored", seen.isVendored) ||
  said(attributes, "documentation", seen.isDocumentation) ||
  said(attributes, "generated", seen.isGenerated);

const isCounted = ({ isCounted }: DetectedLanguage, attributes: Attributes): boolean =>
  said(attributes, "detectable", isCounted);

function said(attributes: Attributes, name: string, otherwise: boolean): boolean {
  const state = attributes.get(`linguist-${name}`);
  if (state === "true" || state === "false") return state === "true";
  return typeof state === "boolean" ? state : otherwise;
}
