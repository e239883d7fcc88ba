import { type AttributeFolder, AttributeReader, type Attributes } from "../git/archive/attributes.ts";
import type { ObjectId } from "../git/object/object-format.ts";
import { canonicalMode, parseTree, symlinkMode, type TreeEntry, typeOfMode } from "../git/object/tree.ts";
import type { History } from "../git/walk/history.ts";
import { type DetectedLanguage, type Detector, findDetector } from "./detect.ts";
import { type Foreignness, foreignnessOf, isVendoredFolder } from "./foreign.ts";

const attributeNames = ["vendored", "documentation", "generated", "detectable", "language"].map(
  (name) => `linguist-${name}`,
);

/** What is counted of one tree at most: what lies behind that is left out. */
const most = { files: 100_000, elapsedMs: 15_000 };

/**
 * Bytes by language of the files below a tree, most first. Names tell the language, .gitattributes may say otherwise
 * (`linguist-language`, `-vendored`, `-documentation`, `-generated`, `-detectable`); no content is read.
 */
export async function countTree(history: History, tree: ObjectId): Promise<[string, number][]> {
  const count = new TreeCount(history, await findDetector());
  await count.run(tree);
  return [...count.sizes]
    .filter(([, bytes]) => bytes > 0)
    .sort(([one, bytes], [other, otherBytes]) => otherBytes - bytes || (one < other ? -1 : 1));
}

interface Folder {
  readonly tree: ObjectId;
  readonly path: string;
  readonly above: AttributeFolder | undefined;
}

class TreeCount {
  readonly sizes = new Map<string, number>();
  readonly #history: History;
  readonly #detector: Detector;
  readonly #attributes: AttributeReader;
  #files = 0;

  constructor(history: History, detector: Detector) {
    this.#history = history;
    this.#detector = detector;
    this.#attributes = new AttributeReader(history, attributeNames);
  }

  async run(tree: ObjectId): Promise<void> {
    const folders: Folder[] = [{ tree, path: "", above: undefined }];
    for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
      const entries = parseTree(this.#history.format, await this.#history.tree(at.tree));
      const folder = await this.#attributes.enter(at.path, entries, at.above);
      for (const entry of entries) {
        const pause = this.#history.pace();
        if (pause !== undefined) await pause;
        if (this.#files >= most.files || this.#history.elapsedMs > most.elapsedMs) return;
        await this.#entry(entry, folder, folders);
      }
    }
  }

  async #entry(entry: TreeEntry, folder: AttributeFolder, folders: Folder[]): Promise<void> {
    const path = `${folder.path}${entry.path}`;
    const type = typeOfMode(entry.mode);
    if (type === "tree") {
      // Only attributes could make something of a vendored folder count.
      const isPassed = isVendoredFolder(`${path}/`) && !hasRules(folder);
      if (!isPassed) folders.push({ tree: entry.id, path: `${path}/`, above: folder });
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
  folder !== undefined && (folder.rules.length > 0 || hasRules(folder.above));

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
