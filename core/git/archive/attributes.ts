import { tooLarge } from "../../errors.ts";
import type { MatchBudget } from "../../pattern/patterns.ts";
import type { ObjectId } from "../format/object-format.ts";
import { type TreeEntry, typeOfMode } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import {
  type AttributeFile,
  type AttributeRule,
  type AttributeState,
  mostAttributeBytes,
  parseAttributes,
} from "./attribute-file.ts";
import { AttributeRules } from "./attribute-rules.ts";

/** The attributes of one path. */
export type Attributes = ReadonlyMap<string, AttributeState>;

/** Attributes that archives obey. */
const ofArchives = ["export-ignore", "export-subst", "text", "crlf", "eol", "ident", "diff"];
/** The name of files of attributes. */
export const attributeFileName = ".gitattributes";
/** Files of attributes above this size say nothing. */
const largestFile = 16 * 2 ** 20;
/** How much of different files is read; the rest says nothing. */
const mostBytes = 8 * 2 ** 20;
/** Steps of matching for one tree: some seconds. */
export const mostStepsOfTree = 2 ** 28;
/** The time of matching wildcards counts as steps. */
const stepsPerMs = 2 ** 16;
/** Each character of a pattern with wildcards counts, for the time and the memory of what matches it. */
const stepsPerCharacter = 2 ** 13;
/** Of a macro. */
const stepsPerState = 32;
const stepsPerLook = 4_096;
const tooMuch = () =>
  tooLarge(
    ".gitattributes asks for too much matching here: use fewer patterns with wildcards, or clone instead",
  );
const costOf = ({ pattern: { kind, text } }: AttributeRule): number =>
  kind.startsWith("wild-") ? stepsPerCharacter * text.length : 0;
const noFile: AttributeFile = { rules: [], macros: new Map() };
const nothing: Attributes = new Map();
const binaryMacro: AttributeRule["states"] = [
  ["diff", false],
  ["merge", false],
  ["text", false],
];

/** Rules of one file, as they apply to a folder at or below the file's own. */
interface AttributeLevel {
  readonly rules: AttributeRules;
  /** Of the file's folder, with a slash at its end; empty for the root. */
  readonly path: string;
}

/** The attribute levels of a folder's entries. */
export interface AttributeFolder {
  /** The folder's path with a slash at its end; empty for the root. */
  readonly path: string;
  /** Of the nearest file first. */
  readonly levels: readonly AttributeLevel[];
}

/** What is read of a tree; by default the attributes that archives obey. */
export interface AttributeReaderOptions {
  readonly obeyed?: readonly string[];
  readonly mostSteps?: number;
}

/** Reads some attributes of paths out of one tree, folder by folder, as `git archive` does. */
export class AttributeReader {
  readonly #history: History;
  readonly #obeyed: readonly string[];
  /** By the object that they were read from: folders may share a file. */
  readonly #files = new Map<string, AttributeFile>();
  readonly #rules = new Map<AttributeFile, AttributeRules>();
  #leftBytes = mostBytes;
  readonly #macros = new Map<string, AttributeRule["states"]>([["binary", binaryMacro]]);
  /** Attributes that lead to obeyed ones. */
  readonly #heard: Set<string>;
  #isCut = false;
  #steps = 0;
  readonly #mostSteps: number;
  #lookedAt = 0;
  readonly #budget: MatchBudget = {
    rest: () => this.#pace(0),
    spend: (match) => {
      const began = performance.now();
      const result = match();
      this.#steps += stepsPerMs * (performance.now() - began);
      return result;
    },
  };

  constructor(
    history: History,
    { obeyed = ofArchives, mostSteps = mostStepsOfTree }: AttributeReaderOptions = {},
  ) {
    this.#history = history;
    this.#obeyed = obeyed;
    this.#mostSteps = mostSteps;
    this.#heard = new Set([...obeyed, "binary"]);
  }

  /** Whether a file was skipped because those before it had used up `mostBytes`. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Enters a folder whose entries are known. Throws TooLarge. */
  async enter(
    path: string,
    entries: readonly TreeEntry[],
    above: AttributeFolder | undefined,
  ): Promise<AttributeFolder> {
    const levels = above?.levels ?? [];
    const own = entries.find(
      (entry) => entry.path === attributeFileName && typeOfMode(entry.mode) === "blob",
    );
    if (own === undefined) return { path, levels };
    const rules = await this.#rulesOf(own.id, above === undefined);
    if (rules.rules.length === 0) return { path, levels };
    return { path, levels: [{ rules, path }, ...levels] };
  }

  /** Counts steps; a promise when others are to run first. Throws TooLarge. */
  #pace(steps: number): Promise<void> | undefined {
    this.#steps += steps;
    if (this.#steps > this.#mostSteps) throw tooMuch();
    let pause: Promise<void> | undefined;
    for (; pause === undefined && this.#steps - this.#lookedAt >= stepsPerLook; ) {
      this.#lookedAt += stepsPerLook;
      pause = this.#history.pace();
    }
    return pause;
  }

  async #rulesOf(id: ObjectId, isRoot: boolean): Promise<AttributeRules> {
    const file = await this.#read(id, isRoot);
    const known = this.#rules.get(file);
    if (known !== undefined) return known;
    for (const [name, states] of file.macros) this.#macros.set(name, states);
    if (file.macros.size > 0) await this.#hearMacros();
    const rules = new AttributeRules();
    for (const rule of file.rules) {
      const isHeard = rule.states.some(([name]) => this.#heard.has(name));
      const pause = this.#pace(rule.states.length + (isHeard ? costOf(rule) : 0));
      if (isHeard) rules.add(rule);
      if (pause !== undefined) await pause;
    }
    this.#rules.set(file, rules);
    return rules;
  }

  /** Macros may stand for macros that are defined after them. */
  async #hearMacros(): Promise<void> {
    const settersOf = new Map<string, string[]>();
    for (const [macro, states] of this.#macros) {
      for (const [name] of states) {
        const setters = settersOf.get(name);
        if (setters === undefined) settersOf.set(name, [macro]);
        else setters.push(macro);
      }
      const pause = this.#pace(states.length);
      if (pause !== undefined) await pause;
    }
    const stack = [...this.#heard];
    for (let name = stack.pop(); name !== undefined; name = stack.pop()) {
      for (const macro of settersOf.get(name) ?? []) {
        if (!this.#heard.has(macro)) stack.push(macro);
        this.#heard.add(macro);
      }
      const pause = this.#pace(1);
      if (pause !== undefined) await pause;
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
    const file = type === "blob" ? await parseAttributes(data, isRoot, () => this.#pace(64)) : noFile;
    this.#files.set(key, file);
    return file;
  }

  /** The attributes of a path in a folder: the nearest file and its last line win. Throws TooLarge. */
  async of({ levels }: AttributeFolder, path: string, isFolder: boolean): Promise<Attributes> {
    let found: Map<string, AttributeState> | undefined;
    for (const level of levels) {
      const { rules } = level.rules;
      for (const place of await this.#placesOf(level, path)) {
        const { pattern, states } = rules[place] as AttributeRule;
        if (pattern.wantsFolder && !isFolder) continue;
        found ??= new Map();
        this.#fill(found, states);
        const pause = this.#pace(1);
        if (pause !== undefined) await pause;
      }
    }
    return found === undefined ? nothing : this.#obeyedOf(found);
  }

  /** The places in a file of the rules that match a path, the last first. */
  async #placesOf({ rules, path: folder }: AttributeLevel, path: string): Promise<number[]> {
    const places = await rules.placesOf(path.slice(folder.length), this.#budget);
    const pause = this.#pace(rules.lookups + 4 * places.length);
    if (pause !== undefined) await pause;
    return places.length < 2 ? places : places.sort((one, other) => other - one);
  }

  /** Notes attributes that are not said yet; a macro's attributes count where it stands. */
  #fill(found: Map<string, AttributeState>, states: AttributeRule["states"]): void {
    const stack = [...states];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const [name, state] = next;
      if (found.has(name) || !this.#heard.has(name)) continue;
      found.set(name, state);
      const macro = state === true ? this.#macros.get(name) : undefined;
      if (macro === undefined) continue;
      stack.push(...macro);
      this.#steps += macro.length * stepsPerState;
    }
  }

  /** Without the macros that led there, which may be many. */
  #obeyedOf(found: ReadonlyMap<string, AttributeState>): Attributes {
    const names = this.#obeyed.filter((name) => found.has(name));
    return new Map(names.map((name) => [name, found.get(name)]));
  }
}
