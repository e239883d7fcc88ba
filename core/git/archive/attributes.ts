import type { ObjectId } from "../object/object-format.ts";
import { type TreeEntry, typeOfMode } from "../object/tree.ts";
import type { History } from "../walk/history.ts";
import {
  type AttributeFile,
  type AttributeRule,
  type AttributeState,
  parseAttributes,
} from "./attribute-file.ts";

/** The attributes of one path. */
export type Attributes = ReadonlyMap<string, AttributeState>;

/** Attributes that archives obey. */
const ofArchives = ["export-ignore", "export-subst", "text", "crlf", "eol", "ident", "diff"];
const fileName = ".gitattributes";
/** Files of attributes above this size say nothing. */
const largestFile = 16 * 2 ** 20;
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
  readonly #macros = new Map<string, AttributeRule["states"]>([["binary", binaryMacro]]);
  /** Attributes that lead to obeyed ones. */
  readonly #heard: Set<string>;

  constructor(history: History, obeyed: readonly string[] = ofArchives) {
    this.#history = history;
    this.#heard = new Set([...obeyed, "binary"]);
  }

  /** Enters a folder whose entries are known. */
  async enter(
    path: string,
    entries: readonly TreeEntry[],
    above: AttributeFolder | undefined,
  ): Promise<AttributeFolder> {
    const own = entries.find((entry) => entry.path === fileName && typeOfMode(entry.mode) === "blob");
    if (own === undefined) return { path, rules: [], above };
    const file = await this.#read(own.id, above === undefined);
    for (const [name, states] of file.macros) this.#macros.set(name, states);
    this.#hearMacros();
    const rules = file.rules.filter(({ states }) => states.some(([name]) => this.#heard.has(name)));
    return { path, rules, above };
  }

  /** Macros may stand for macros that are defined after them. */
  #hearMacros(): void {
    for (let known = -1; known < this.#heard.size; ) {
      known = this.#heard.size;
      for (const [name, states] of this.#macros) {
        if (states.some(([one]) => this.#heard.has(one))) this.#heard.add(name);
      }
    }
  }

  async #read(id: ObjectId, isRoot: boolean): Promise<AttributeFile> {
    if (this.#history.sizeOf(id) > largestFile) return { rules: [], macros: new Map() };
    const { type, data } = await this.#history.object(id);
    return type === "blob" ? parseAttributes(data, isRoot) : { rules: [], macros: new Map() };
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
    return found ?? nothing;
  }

  #fill(found: Map<string, AttributeState>, states: AttributeRule["states"]): void {
    for (let index = states.length - 1; index >= 0; index--) {
      const [name, state] = states[index] as AttributeRule["states"][number];
      if (found.has(name)) continue;
      found.set(name, state);
      const macro = state === true ? this.#macros.get(name) : undefined;
      if (macro !== undefined) this.#fill(found, macro);
    }
  }
}
