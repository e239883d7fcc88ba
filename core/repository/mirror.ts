import type { Config } from "../config.ts";
import { type ForgeError, invalid } from "../errors.ts";
import type { MirrorSettings, Repository } from "./repository.table.ts";

/** The changes of a mirror; each is independent of the other (B-04). */
export interface MirrorChanges {
  /** A length of time such as `8h30m0s`; 0 switches planned syncs off. */
  readonly mirrorInterval?: string;
  readonly mirrorPrunes?: boolean;
}

const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  "\u00b5s": 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3_600,
};
const longestSeconds = 10 * 365 * 86_400;

/** A length of time such as `8h30m0s` or `0` in whole seconds; undefined when it is none, or longer than ten years. */
export function parseInterval(text: string): number | undefined {
  if (text === "0") return 0;
  if (text.length > 50 || !/^(\d+(\.\d*)?(ns|us|\u00b5s|ms|s|m|h))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, count = "", , unit = ""] of text.matchAll(/(\d+(\.\d*)?)(ns|us|\u00b5s|ms|s|m|h)/g)) {
    seconds += Number(count) * (unitSeconds[unit] ?? 0);
  }
  const whole = Math.round(seconds);
  return whole > longestSeconds ? undefined : whole;
}

/** The same the other way round: `8h0m0s`, `10m0s`, `0s`. */
export function formatInterval(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

/** The settings of a pull mirror; a mirror that became an ordinary repository keeps them, without effect. */
export const mirrorOf = ({
  isMirror,
  mirror,
}: Pick<Repository, "isMirror" | "mirror">): MirrorSettings | undefined => (isMirror ? mirror : undefined);

/** Why a mirror may not have this interval, or undefined when it may. Other repositories have none. */
export function intervalProblem(
  repository: Pick<Repository, "isMirror" | "mirror">,
  { mirrorInterval }: MirrorChanges,
  { mirrorMinIntervalSeconds: least }: Pick<Config, "mirrorMinIntervalSeconds">,
): ForgeError | undefined {
  if (mirrorOf(repository) === undefined || mirrorInterval === undefined) return undefined;
  const seconds = parseInterval(mirrorInterval);
  if (seconds === undefined) return invalid("MirrorInterval", "expected a length of time such as 8h30m0s");
  if (seconds > 0 && seconds < least) {
    return invalid("MirrorInterval", `expected 0, or at least ${formatInterval(least)}`);
  }
  return undefined;
}

/** The mirror settings after changes that `intervalProblem` accepts; none for other repositories. */
export function mirrorAfter(
  repository: Pick<Repository, "isMirror" | "mirror">,
  { mirrorInterval, mirrorPrunes }: MirrorChanges,
  now: number,
): { readonly mirror?: MirrorSettings } {
  const mirror = mirrorOf(repository);
  if (mirror === undefined) return {};
  const prunes = mirrorPrunes ?? mirror.prunes;
  const intervalSeconds =
    mirrorInterval === undefined ? mirror.intervalSeconds : (parseInterval(mirrorInterval) ?? 0);
  if (intervalSeconds === mirror.intervalSeconds) return { mirror: { ...mirror, prunes } };
  const nextSyncAt = intervalSeconds === 0 ? 0 : now + intervalSeconds;
  return { mirror: { ...mirror, prunes, intervalSeconds, nextSyncAt } };
}
