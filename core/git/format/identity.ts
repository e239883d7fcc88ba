/** The person and time of an act: the value of author, committer and tagger headers. */
export interface Identity {
  name: string;
  email: string;
  /** Seconds since the epoch. */
  seconds: number;
  /** For instance `+0130`; `+0000` when a historic object has none. */
  timezone: string;
}

/** Reads an identity, forgiving old tools: missing parts become empty, an unreadable date becomes 0. */
export function parseIdentity(line: string): Identity {
  const open = line.indexOf("<");
  const close = line.lastIndexOf(">");
  if (open < 0) return { name: line.trim(), email: "", seconds: 0, timezone: "+0000" };
  const name = line.slice(0, open).trim();
  const email = line.slice(open + 1, close < open ? undefined : close).trim();
  const [, date, zone] =
    /^\s*(-?\d+)(?:\s+([+-]\d{1,7}))?/.exec(close < open ? "" : line.slice(close + 1)) ?? [];
  const seconds = Number(date ?? 0);
  return {
    name,
    email,
    seconds: Number.isSafeInteger(seconds) ? seconds : 0,
    timezone: zone ?? "+0000",
  };
}

/**
 * The header's value. It drops characters that would break the header (`<`, `>`, line breaks, NUL), and those that git
 * trims from both ends of a name.
 */
export function formatIdentity(identity: Identity): string {
  const name = withoutCrud(identity.name);
  const email = withoutCrud(identity.email);
  return `${name} <${email}> ${Math.max(0, Math.trunc(identity.seconds))} ${identity.timezone}`;
}

const crud = /[\s.,:;"'\\]/;

/** By hand, from both ends: a regular expression would look for the end behind every inner blank. */
function withoutCrud(text: string): string {
  const kept = text.replace(/[<>\n\0]/g, "");
  let [start, end] = [0, kept.length];
  while (start < end && crud.test(kept.charAt(start))) start += 1;
  while (end > start && crud.test(kept.charAt(end - 1))) end -= 1;
  return kept.slice(start, end);
}
