import { type ForgeError, invalid, unprocessable } from "../../errors.ts";

const longestName = 100;
const reservedNames = new Set([".", "..", "-"]);
const reservedEndings = [".git", ".wiki", ".rss", ".atom"];

/** Why a repository may not have this name (semantics §30), or undefined when it may. */
export function repositoryNameProblem(name: string): ForgeError | undefined {
  if (name === "") return invalid("Name", "Required");
  if (name.length > longestName) return invalid("Name", `MaxSize ${longestName}`);
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) {
    return invalid("Name", "AlphaDashDot: letters without accents, digits, - _ and . only");
  }
  const lower = name.toLowerCase();
  if (reservedNames.has(lower)) return unprocessable(`Name: the name ${name} is reserved`);
  if (reservedEndings.some((ending) => lower.endsWith(ending))) {
    return unprocessable(`Name: names that end like ${name} are reserved`);
  }
  return undefined;
}
