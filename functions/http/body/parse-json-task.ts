import type { Task } from "#core/compute/task";

/**
 * The most values, keys included, of a JSON body, and of one that may have more than 1 MiB: many small ones take long to
 * parse, and longer to check.
 */
export const mostValues = { usual: 5_000, ofLarge: 20_000 };

/** The value, or why there is none; `nulIn` is the key of a text with a NUL. */
export type ParsedJson =
  | { readonly value: unknown }
  | { readonly hasTooMany: true }
  | { readonly problem: string; readonly nulIn?: string };

const smallBytes = 2 ** 20;

/**
 * Parses a JSON body; no body at all is `{}`. Malformed text is a problem, as in the compatible family, and so is a
 * text with a NUL character, which git and many clients would cut. Halves of surrogate pairs, which UTF-8 can't
 * express, become U+FFFD.
 */
export const parseJsonTask: Task<{ readonly bytes: Buffer; readonly most: number }, ParsedJson> = {
  name: "parse-json",
  deadlineMs: 5_000,
  isSmall: ({ bytes }) => bytes.length <= smallBytes,
  run({ bytes, most }) {
    if (hasMoreValues(bytes, most)) return { hasTooMany: true };
    const text = bytes.toString("utf8");
    if (text.trim() === "") return { value: {} };
    try {
      const mayBeBroken = /\\u(?:[dD]|0000)/.test(text);
      return { value: mayBeBroken ? JSON.parse(text, wellFormed) : JSON.parse(text) };
    } catch (error) {
      if (error instanceof NulText) return { problem: error.message, nulIn: error.key };
      return { problem: (error as Error).message };
    }
  },
};

class NulText extends Error {
  readonly key: string;
  constructor(key: string) {
    super("a NUL character");
    this.key = key;
  }
}

function wellFormed(key: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (value.includes("\0")) throw new NulText(key);
  return Buffer.from(value).toString();
}

const [quote, backslash] = [0x22, 0x5c];
/** `[`, `{`, `,` and `:`: the characters before a value. */
const beforeValues = new Set([0x5b, 0x7b, 0x2c, 0x3a]);

/** Whether a text has more than so many values, if it is JSON: counted without parsing it. */
function hasMoreValues(bytes: Buffer, most: number): boolean {
  if (bytes.length <= most) return false;
  let values = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (isText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (beforeValues.has(byte)) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
}
