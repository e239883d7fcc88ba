const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what git quotes
const odd = /[\x00-\x1f\x7f-\xff"\\]/g;

/** A path (latin1) in git's form: as it is, or quoted and escaped when it holds odd bytes. */
export function quotePath(path: string, prefix = ""): string {
  const whole = prefix + path;
  if (whole.search(odd) < 0) return whole;
  const escaped = whole.replace(
    odd,
    (byte) => escapes[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${escaped}"`;
}
