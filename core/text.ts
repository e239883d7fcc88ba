import { type ForgeError, invalid } from "./errors.ts";

const mostTitleCharacters = 255;
const mostBodyCharacters = 65_536;
export const mostBodyBytes = 192 * 1024;

/**
 * Why a text may not be a title or name (D-TEXT), or undefined when it may: it must hold something and at most 255
 * characters.
 */
export function titleProblem(field: string, text: string): ForgeError | undefined {
  if (text.trim() === "") return invalid(field, "Required");
  return isLonger(text, mostTitleCharacters)
    ? invalid(field, `MaxSize: at most ${mostTitleCharacters} characters`)
    : undefined;
}

/** Why a text may not be a body, comment, description or note (D-TEXT): at most 65,536 characters and 192 KB of UTF-8. */
export function bodyProblem(field: string, text: string): ForgeError | undefined {
  if (isLonger(text, mostBodyCharacters)) {
    return invalid(field, `MaxSize: at most ${mostBodyCharacters} characters`);
  }
  return Buffer.byteLength(text) > mostBodyBytes
    ? invalid(field, `MaxSize: at most ${mostBodyBytes} bytes of UTF-8`)
    : undefined;
}

/** At most `most` code units of a text, with an ellipsis after a cut; never half a character. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Whether a text is a complete address of the web: links on pages must not run anything. */
export const isWebUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Whether a text has more characters (code points) than `most`; `length` counts those beyond U+FFFF twice. */
function isLonger(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || [...text].length > most;
}

/** A text without lone surrogates, which no UTF-8 has: each becomes the sign for what can't be shown. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\u{fffd}");
