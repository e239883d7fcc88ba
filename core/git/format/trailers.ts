/** A line of the form `Key: value` at the end of a message. */
export interface Trailer {
  readonly key: string;
  readonly value: string;
}

/** Lines that git itself writes without a colon, or before patches. */
const gitLines = /^(?:\(cherry picked from commit [0-9a-f]+\)|Signed-off-by: )/;
const trailerLine = /^([A-Za-z0-9-]+)[ \t]*:(.*)$/;
/** A group with other lines counts when at least a quarter of it are trailers. */
const mostOthersPerTrailer = 3;

/**
 * The trailers of a message, like `git interpret-trailers --parse --unfold`: its last paragraph, unless it is the
 * title, when it consists of such lines, or holds one that git writes and at least a quarter of such. The text behind a
 * line of three dashes belongs to a patch.
 */
export function trailersOf(message: string): Trailer[] {
  const lines = withoutPatch(message.replaceAll("\r\n", "\n")).split("\n");
  while (lines.length > 0 && isBlank(lines.at(-1))) lines.pop();
  const start = lines.findLastIndex((line) => isBlank(line)) + 1;
  const group = lines.slice(start);
  if (start === 0 || !isTrailerGroup(group)) return [];
  const trailers: { key: string; lines: string[] }[] = [];
  let open: (typeof trailers)[number] | undefined;
  for (const line of group) {
    if (/^[ \t]/.test(line)) {
      open?.lines.push(line.trim());
      continue;
    }
    const [, key, value = ""] = trailerLine.exec(line) ?? [];
    open = key === undefined ? undefined : { key, lines: [value.trim()] };
    if (open !== undefined) trailers.push(open);
  }
  return trailers.map(({ key, lines }) => ({ key, value: lines.filter((line) => line !== "").join(" ") }));
}

const isBlank = (line: string | undefined): boolean => (line ?? "").trim() === "";

function withoutPatch(message: string): string {
  const at = /^---(?:\s|$)/m.exec(message)?.index;
  return at === undefined ? message : message.slice(0, at);
}

function isTrailerGroup(group: readonly string[]): boolean {
  let trailers = 0;
  let others = 0;
  let hasGitLine = false;
  let isInTrailer = false;
  for (const line of group) {
    if (line.startsWith("#")) continue;
    if (/^[ \t]/.test(line)) {
      if (!isInTrailer) others += 1;
      continue;
    }
    isInTrailer = trailerLine.test(line) || gitLines.test(line);
    if (gitLines.test(line)) hasGitLine = true;
    if (isInTrailer) trailers += 1;
    else others += 1;
  }
  if (trailers === 0) return false;
  return others === 0 || (hasGitLine && others <= trailers * mostOthersPerTrailer);
}

/** A person that a message names. */
export interface NamedPerson {
  readonly name: string;
  readonly email: string;
}

/** The people of `Co-authored-by` trailers, each address once; lines without an address are skipped. */
export function coAuthorsOf(message: string): NamedPerson[] {
  const people = new Map<string, NamedPerson>();
  for (const { key, value } of trailersOf(message)) {
    if (key.toLowerCase() !== "co-authored-by") continue;
    const open = value.lastIndexOf("<");
    const email = open >= 0 && value.indexOf(">", open) === value.length - 1 ? value.slice(open + 1, -1) : "";
    const address = email.trim().toLowerCase();
    if (address !== "" && !people.has(address))
      people.set(address, { name: value.slice(0, open).trim(), email: email.trim() });
  }
  return [...people.values()];
}
