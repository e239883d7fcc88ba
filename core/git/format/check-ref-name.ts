/** The longest ref name, in bytes: it has to fit a key of the store. */
export const maxRefNameBytes = 1000;

// Control characters, space, ~ ^ : ? * [ \ and DEL.
const forbidden = /[\0-\x20~^:?*[\\\x7f]/;

/**
 * True for a name that git would create (git-check-ref-format, without --allow-onelevel): at least two parts, none
 * of them starting with a dot or ending in `.lock`, no `..`, `@{`, `//`, forbidden characters or dot at the end.
 */
export function isValidRefName(name: string | Uint8Array): boolean {
  const text = typeof name === "string" ? name : Buffer.from(name).toString("latin1");
  const bytes = typeof name === "string" ? Buffer.byteLength(name) : name.length;
  if (bytes === 0 || bytes > maxRefNameBytes || !text.includes("/")) return false;
  if (forbidden.test(text) || text.includes("..") || text.includes("@{") || text.endsWith(".")) return false;
  return text.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}
