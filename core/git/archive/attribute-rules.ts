import { type MatchBudget, Patterns } from "../../pattern/patterns.ts";
import { wildmatch } from "../../pattern/wildmatch.ts";
import type { AttributeRule } from "./attribute-file.ts";

/** Places of rules by a text. */
type Places = Map<string, number[]>;

/**
 * The rules of one file, ordered so that a path meets few of them: rules without wildcards and rules for endings are
 * found by their text, and all others are matched together. Folders may share it.
 */
export class AttributeRules {
  readonly rules: AttributeRule[] = [];
  readonly #texts: Readonly<Record<"name" | "path" | "suffix", Places>> = {
    name: new Map(),
    path: new Map(),
    suffix: new Map(),
  };
  readonly #suffixLengths = new Set<number>();
  readonly #wild: { readonly source: string; readonly place: number }[] = [];
  #patterns: Patterns | undefined;

  /** Adds the file's next rule. */
  add(rule: AttributeRule): void {
    const { kind, text } = rule.pattern;
    const place = this.rules.push(rule) - 1;
    if (kind === "wild-name" || kind === "wild-path") {
      const source = wildmatch(text, { isName: kind === "wild-name" });
      if (source !== undefined) this.#wild.push({ source, place });
      return;
    }
    if (kind === "suffix") this.#suffixLengths.add(text.length);
    const places = this.#texts[kind].get(text);
    if (places === undefined) this.#texts[kind].set(text, [place]);
    else places.push(place);
  }

  /** How many texts are looked up for each path. */
  get lookups(): number {
    return 2 + this.#suffixLengths.size;
  }

  /** Places of the rules that match a path from the file's folder on. Throws what the budget throws. */
  async placesOf(path: string, budget: MatchBudget): Promise<number[]> {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const suffixes = [...this.#suffixLengths].filter((length) => length <= name.length);
    const byText = [
      this.#texts.name.get(name),
      this.#texts.path.get(path),
      ...suffixes.map((length) => this.#texts.suffix.get(name.slice(name.length - length))),
    ];
    this.#patterns ??= new Patterns(this.#wild.map(({ source }) => source));
    const wild = await this.#patterns.matching(path, budget);
    return [
      ...byText.flatMap((places) => places ?? []),
      ...wild.map((at) => this.#wild[at]?.place as number),
    ];
  }
}
