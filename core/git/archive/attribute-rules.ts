import type { AttributeRule } from "./attribute-file.ts";
import type { PathPattern } from "./path-pattern.ts";
import { type Reached, reachedAtStart, type Steps } from "./pattern-segments.ts";

/** A rule whose pattern is of one kind, and its place in its file: later ones win. */
interface Placed<Kind extends PathPattern["kind"]> {
  readonly pattern: Extract<PathPattern, { kind: Kind }>;
  readonly place: number;
}

/** A rule of paths with wildcards on its way down: how far its pattern has matched the folders so far. */
export interface WildPath extends Placed<"wild-path"> {
  readonly reached: Reached;
}

/** Places of rules by a text. */
type Places = Map<string, number[]>;

/**
 * The rules of one file, ordered so that a path meets few of them: rules without wildcards and rules for endings are
 * found by their text, and only the others are tried one by one. Folders may share it.
 */
export class AttributeRules {
  readonly rules: AttributeRule[] = [];
  readonly wildNames: Placed<"wild-name">[] = [];
  /** As they stand before the first name below the file's folder. */
  readonly wildPaths: WildPath[] = [];
  readonly #names: Places = new Map();
  readonly #paths: Places = new Map();
  readonly #suffixes: Places = new Map();
  readonly #suffixLengths = new Set<number>();

  /** Adds the file's next rule. */
  add(rule: AttributeRule): void {
    const { pattern } = rule;
    const place = this.rules.push(rule) - 1;
    if (pattern.kind === "suffix") this.#suffixLengths.add(pattern.text.length);
    if (pattern.kind === "wild-name") this.wildNames.push({ pattern, place });
    else if (pattern.kind === "wild-path") {
      this.wildPaths.push({ pattern, place, reached: reachedAtStart(pattern.segments) });
    } else addTo(this.#placesOf(pattern.kind), pattern.text, place);
  }

  #placesOf(kind: "name" | "path" | "suffix"): Places {
    if (kind === "suffix") return this.#suffixes;
    return kind === "name" ? this.#names : this.#paths;
  }

  /** Places of rules found by their text: by a path from the file's folder on, and by its last name. */
  found(path: string, name: string, steps: Steps): number[] {
    let found: number[] = [];
    const add = (places: number[] | undefined) => {
      if (places !== undefined) found = found.length === 0 ? places : found.concat(places);
    };
    add(this.#names.get(name));
    add(this.#paths.get(path));
    for (const length of this.#suffixLengths) {
      if (length <= name.length) add(this.#suffixes.get(name.slice(name.length - length)));
    }
    steps.count += 2 + this.#suffixLengths.size + 4 * found.length;
    return found;
  }
}

function addTo(texts: Places, text: string, place: number): void {
  const places = texts.get(text);
  if (places === undefined) texts.set(text, [place]);
  else places.push(place);
}
