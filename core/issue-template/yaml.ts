import { parseDocument } from "yaml";

/** What a YAML text says, or what is wrong with it. */
export type YamlReading = { readonly value: unknown } | { readonly problem: string };

/** Aliases that one text may resolve: each may stand for much. */
const mostAliases = 50;
/** How long what a text says may be, as JSON, with its aliases resolved. */
const mostCharacters = 256 * 1024;

/** Reads one YAML document of a user's. The text is bounded by who calls; what is nested too deeply is a problem, too. */
export function readYaml(text: string): YamlReading {
  try {
    const document = parseDocument(text, { logLevel: "silent" });
    const [error] = document.errors;
    if (error !== undefined) return { problem: error.message };
    // An alias may stand for what it lies in: JSON has no form for that.
    const json = JSON.stringify(document.toJS({ maxAliasCount: mostAliases }) ?? null);
    return json.length > mostCharacters ? { problem: "it says too much" } : { value: JSON.parse(json) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
