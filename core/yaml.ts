import { Parser, parseDocument } from "yaml";

/** The value of a YAML text, or what is wrong with it. */
export type YamlReading = { readonly value: unknown } | { readonly problem: string };

/** Aliases that one text may resolve: each may stand for much. */
const mostAliases = 50;
/** The most characters of the value as JSON, with its aliases resolved. */
const mostCharacters = 256 * 1024;
/** How deeply it may be nested. */
const mostLevels = 100;
/** The parser's tokens for one level: a collection, its list of items, an item. */
const tokensALevel = 3;

/** Reads one YAML document of a user. The caller bounds the text. */
export function readYaml(text: string): YamlReading {
  // The package reads nested values by recursion, and a pattern that is compiled at the end of the stack ends the whole
  // process, wherever it happens.
  if (isDeeper([...new Parser().parse(text)], mostLevels * tokensALevel)) return tooDeep;
  try {
    const document = parseDocument(text, { logLevel: "silent" });
    const [error] = document.errors;
    if (error !== undefined) return { problem: error.message };
    // An alias may stand for a value that contains it: JSON has no form for that.
    const json = JSON.stringify(document.toJS({ maxAliasCount: mostAliases }) ?? null);
    if (json.length > mostCharacters) return { problem: "it says too much" };
    const value = JSON.parse(json) as unknown;
    return isDeeper(value, mostLevels) ? tooDeep : { value };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

const tooDeep: YamlReading = { problem: `it is nested more than ${mostLevels} levels deep` };

/** Whether a value is nested deeper than so many levels, found without recursion. */
export function isDeeper(value: unknown, mostLevels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= mostLevels; depth += 1) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
