import type { ObjectId } from "../object/object-format.ts";
import { type TreeEntry, typeOfMode } from "../object/tree.ts";
import type { History } from "../walk/history.ts";
import {
  type AttributeFile,
  type AttributeRule,
  type AttributeState,
  mostAttributeBytes,
  parseAttributes,
} from "./attribute-file.ts";

/** The attributes of one path. */
export type Attributes = ReadonlyMap<string, AttributeState>;

/** Attributes that archives obey. */
const ofArchives = ["export-ignore", "export-subst", "text", "crlf", "eol", "ident", "diff"];
/** What files of attributes are called. */
export const attributeFileName = ".gitattributes";
/** Files of attributes above this size say nothing. */
const largestFile = 16 * 2 ** 20;
/** So much of different files is taken in; what is beyond says nothing. */
const mostBytes = 8 * 2 ** 20;
const noFile: AttributeFile = { rules: [], macros: new Map() };
const nothing: Attributes = new Map();
const binaryMacro: AttributeRule["states"] = [
  ["diff", false],
  ["merge", false],
  ["text", false],
];

/** Rules of one folder's file, and of the folders above it. */
export interface AttributeFolder {
  /** The folder's path with a slash at its end; empty for the root. */
  readonly path: string;
  readonly rules: readonly AttributeRule[];
  readonly above: AttributeFolder | undefined;
}

/** Reads those attributes of paths that somebody obeys, out of one tree, folder by folder, as `git archive` does. */
export class AttributeReader {
  readonly #history: History;
  readonly #obeyed: readonly string[];
  /** By what they were read from: folders may share a file. */
  readonly #files = new Map<string, AttributeFile>();
  #leftBytes = mostBytes;
  readonly #macros = new Map<string, AttributeRule["states"]>([["binary", binaryMacro]]);
  /** Attributes that lead to obeyed ones. */
  readonly #heard: Set<string>;
  #isCut = false;

  constructor(history: History, obeyed: readonly string[] = ofArchives) {
    this.#history = history;
    this.#obeyed = obeyed;
    this.#heard = new Set([...obeyed, "binary"]);
  }

  /** Whether a file was passed over because those read before it had used up `mostBytes`. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Enters a folder whose entries are known. */
  async enter(
    path: string,
    entries: readonly TreeEntry[],
    above: AttributeFolder | undefined,
  ): Promise<AttributeFolder> {
    const own = entries.find(
      (entry) => entry.path === attributeFileName && typeOfMode(entry.mode) === "blob",
    );
    if (own === undefined) return { path, rules: [], above };
    const file = await this.#read(own.id, above === undefined);
    for (const [name, states] of file.macros) this.#macros.set(name, states);
    if (file.macros.size > 0) this.#hearMacros();
    const rules = file.rules.filter(({ states }) => states.some(([name]) => this.#heard.has(name)));
    return { path, rules, above };
  }

  /** Macros may stand for macros that are defined after them. */
  #hearMacros(): void {
    const settersOf = new Map<string, string[]>();
    for (const [macro, states] of this.#macros) {
      for (const [name] of states) {
        const setters = settersOf.get(name);
        if (setters === undefined) settersOf.set(name, [macro]);
        else setters.push(macro);
      }
    }
    const stack = [...this.#heard];
    for (let name = stack.pop(); name !== undefined; name = stack.pop()) {
      for (const macro of settersOf.get(name) ?? []) {
        if (!this.#heard.has(macro)) stack.push(macro);
        this.#heard.add(macro);
      }
    }
  }

  async #read(id: ObjectId, isRoot: boolean): Promise<AttributeFile> {
    const key = `${id} ${isRoot}`;
    const known = this.#files.get(key);
    if (known !== undefined) return known;
    const size = this.#history.sizeOf(id);
    const read = Math.min(size, mostAttributeBytes);
    if (size > largestFile) return noFile;
    this.#isCut ||= read > this.#leftBytes;
    if (read > this.#leftBytes) return noFile;
    this.#leftBytes -= read;
    const { type, data } = await this.#history.object(id);
    const file = type === "blob" ? parseAttributes(data, isRoot) : noFile;
    this.#files.set(key, file);
    return file;
  }

  /** What is said of a path in a folder: the nearest file and its last line count first. */
  async of(folder: AttributeFolder, path: string, isFolder: boolean): Promise<Attributes> {
    let found: Map<string, AttributeState> | undefined;
    for (let at: AttributeFolder | undefined = folder; at !== undefined; at = at.above) {
      for (let index = at.rules.length - 1; index >= 0; index--) {
        const pause = this.#history.pace();
        if (pause !== undefined) await pause;
        const { pattern, states } = at.rules[index] as AttributeRule;
        if (!pattern.matches(path.slice(at.path.length), isFolder)) continue;
        found ??= new Map();
        this.#fill(found, states);
      }
    }
    return found === undefined ? nothing : this.#obeyedOf(found);
  }

  /** Notes what is not said yet; a macro's attributes count where it stands. */
  #fill(found: Map<string, AttributeState>, states: AttributeRule["states"]): void {
    const stack = [...states];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const [name, state] = next;
      if (found.has(name) || !this.#heard.has(name)) continue;
      found.set(name, state);
      const macro = state === true ? this.#macros.get(name) : undefined;
      for (const one of macro ?? []) stack.push(one);
    }
  }

  /** Without the macros that led there, of which there may be many. */
  #obeyedOf(found: ReadonlyMap<string, AttributeState>): Attributes {
    const names = this.#obeyed.filter((name) => found.has(name));
    return new Map(names.map((name) => [name, found.get(name)]));
  }
}
