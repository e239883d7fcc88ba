import { Parser, parseDocument } from "yaml";

/** What a YAML text says, or what is wrong with it. */
export type YamlReading = { readonly value: unknown } | { readonly problem: string };

/** Aliases that one text may resolve: each may stand for much. */
const mostAliases = 50;
/** How long what a text says may be, as JSON, with its aliases resolved. */
const mostCharacters = 256 * 1024;
/** How deeply it may be nested. */
const mostLevels = 100;
/** What the parser makes of one level: a collection, its list of items, an item. */
const tokensALevel = 3;

/** Reads one YAML document of a user's. The text is bounded by who calls. */
export function readYaml(text: string): YamlReading {
  // The package reads what is nested by recursion, and a pattern that is compiled at the end of the stack ends the whole
  // process, wherever it happens.
  if (isDeeper([...new Parser().parse(text)], mostLevels * tokensALevel)) return tooDeep;
  try {
    const document = parseDocument(text, { logLevel: "silent" });
    const [error] = document.errors;
    if (error !== undefined) return { problem: error.message };
    // An alias may stand for what it lies in: JSON has no form for that.
    const json = JSON.stringify(document.toJS({ maxAliasCount: mostAliases }) ?? null);
    if (json.length > mostCharacters) return { problem: "it says too much" };
    const value = JSON.parse(json) as unknown;
    return isDeeper(value, mostLevels) ? tooDeep : { value };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

const tooDeep: YamlReading = { problem: `it is nested more than ${mostLevels} levels deep` };

/** Whether a value has members in members beyond so many levels: told without recursion. */
function isDeeper(value: unknown, mostLevels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= mostLevels; depth += 1) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
