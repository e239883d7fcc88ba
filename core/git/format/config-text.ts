/** One `key = value` of a git configuration file. */
export interface ConfigEntry {
  section: string;
  /** The quoted part of `[section "subsection"]`, as written. */
  subsection: string | undefined;
  key: string;
  /** Undefined for a key without `=`. */
  value: string | undefined;
}

const escapes: Record<string, string> = { n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\" };

/** Reads git's configuration syntax up to the first line that makes no sense, like git itself. */
export function* readConfig(text: string): Generator<ConfigEntry> {
  const lines = text
    .replace(/^\ufeff/, "")
    .replace(/\\\r?\n/g, "\\\n")
    .split(/(?<!\\)\n/);
  let section: string | undefined;
  let subsection: string | undefined;
  for (const line of lines) {
    let rest = line.trimStart();
    const head = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?[ \t]*\]/s.exec(rest);
    if (head !== null) {
      section = head[1]?.toLowerCase();
      subsection = head[2]?.replace(/\\(.)/gs, "$1");
      rest = rest.slice(head[0].length).trimStart();
    }
    if (rest === "" || rest.startsWith("#") || rest.startsWith(";")) continue;
    const setting = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=(.*))?$/s.exec(rest.replace(/\r$/, ""));
    if (section === undefined || setting === null) return;
    const value = setting[2] === undefined ? undefined : readValue(setting[2]);
    if (value === null) return;
    yield { section, subsection, key: (setting[1] as string).toLowerCase(), value };
  }
}

/** A value without its quotes, escapes, comment and outer blanks; null when it can't be read. */
function readValue(raw: string): string | null {
  let value = "";
  let kept = 0;
  let isQuoted = false;
  for (let at = 0; at < raw.length; at++) {
    const character = raw[at] as string;
    if (character === "\\") {
      const next = raw[++at];
      if (next === "\n") continue;
      const meant = next === undefined ? undefined : escapes[next];
      if (meant === undefined) return null;
      value += meant;
      kept = value.length;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      kept = value.length;
    } else if (!isQuoted && (character === "#" || character === ";")) break;
    else if (isQuoted || !/\s/.test(character)) {
      value += character;
      kept = value.length;
    } else if (value !== "") value += character;
  }
  return isQuoted ? null : value.slice(0, kept);
}
