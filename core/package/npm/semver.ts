/** A version by semver.org's rules, 2.0.0. */
export interface SemanticVersion {
  /** Without a leading v. */
  readonly text: string;
  readonly numbers: readonly [number, number, number];
  readonly prerelease: readonly string[];
}

const number = "(0|[1-9]\\d{0,14})";
const strict = new RegExp(
  `^v?${number}\\.${number}\\.${number}(?:-([0-9A-Za-z.-]+))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
const identifier = /^(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)$/;

/** A version that is strictly one, of at most 256 characters; undefined for any other text. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const match = text.length <= 256 ? strict.exec(text) : null;
  if (match === null) return undefined;
  const [, major = "", minor = "", patch = "", tail] = match;
  const prerelease = tail === undefined ? [] : tail.split(".");
  if (!prerelease.every((part) => identifier.test(part))) return undefined;
  return {
    text: text.replace(/^v/, ""),
    numbers: [Number(major), Number(minor), Number(patch)],
    prerelease,
  };
}

/** Whether a text is a version number to somebody: `1`, `v1.0`, `1.2.3-beta`. No tag may be called so. */
export const isLikeVersion = (text: string): boolean => /^v?\d+(?:\.\d+)*(?:[-+~A-Za-z].*)?$/.test(text);

/** Negative when the first comes before the second. Builds count for nothing. */
export function compareVersions(one: SemanticVersion, other: SemanticVersion): number {
  for (const place of [0, 1, 2] as const) {
    const difference = one.numbers[place] - other.numbers[place];
    if (difference !== 0) return difference;
  }
  return comparePrereleases(one.prerelease, other.prerelease);
}

/** A version without a prerelease comes last; numbers come before words, by value; fewer parts come before more. */
function comparePrereleases(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  for (let place = 0; place < Math.max(one.length, other.length); place += 1) {
    const [left, right] = [one[place], other[place]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left !== right) return compareParts(left, right);
  }
  return 0;
}

function compareParts(left: string, right: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (isNumber && isOtherNumber) return left.length - right.length || (left < right ? -1 : 1);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return left < right ? -1 : 1;
}
