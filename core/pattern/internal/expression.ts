/** Part of a pattern, in RE2's language: any one character. */
export const anyCharacter = "(?s:.)";

/** This one character. */
export const literal = (character: string): string =>
  /^\w$/.test(character) ? character : codeOf(character);

/** The first and the last character of a range. */
export type Range = readonly [first: string, last: string];

/**
 * One character of these ranges, or with `isNegated` of none of them, and in no case one of `never`. A range whose ends
 * are in the wrong order holds nothing.
 */
export function oneOf(ranges: readonly Range[], { isNegated = false, never = "" } = {}): string {
  const held = ranges
    .map(([first, last]) => [first.codePointAt(0) as number, last.codePointAt(0) as number] as const)
    .filter(([first, last]) => first <= last);
  const barred = [...never].map((character) => character.codePointAt(0) as number);
  const parts = isNegated
    ? [...held, ...barred.map((one) => [one, one] as const)]
    : held.flatMap((range) => without(range, barred));
  const text = parts.map(([first, last]) => hex(first) + (last > first ? `-${hex(last)}` : "")).join("");
  if (text === "") return isNegated ? anyCharacter : `[^${hex(0)}-${hex(0x10ffff)}]`;
  return `[${isNegated ? "^" : ""}${text}]`;
}

type Codes = readonly [first: number, last: number];

const without = (range: Codes, barred: readonly number[]): readonly Codes[] =>
  barred.reduce<readonly Codes[]>(
    (parts, one) =>
      parts.flatMap(([first, last]): Codes[] => {
        if (one < first || one > last) return [[first, last]];
        const halves: Codes[] = [
          [first, one - 1],
          [one + 1, last],
        ];
        return halves.filter(([from, to]) => from <= to);
      }),
    [range],
  );

const hex = (code: number): string => `\\x{${code.toString(16)}}`;
const codeOf = (character: string): string => hex(character.codePointAt(0) as number);
