import type { UnitName } from "../access/modes.ts";
import { type ForgeError, invalid } from "../errors.ts";
import { isWebUrl } from "../text.ts";
import type { ExternalTracker, Repository, TrackerSettings } from "./repository.table.ts";

/** Which parts of a repository are to be on, and how they behave; what is absent stays. */
export interface UnitChanges {
  readonly hasIssues?: boolean;
  readonly hasWiki?: boolean;
  readonly hasPulls?: boolean;
  readonly hasReleases?: boolean;
  readonly hasProjects?: boolean;
  readonly hasPackages?: boolean;
  readonly hasActions?: boolean;
  readonly tracker?: Partial<TrackerSettings>;
  /** Takes the place of the built-in tracker while issues are on. */
  readonly externalTracker?: ExternalTracker;
  /** Takes the place of the built-in wiki while the wiki is on. */
  readonly externalWikiUrl?: string;
}

type UnitSettings = Pick<Repository, "units" | "tracker" | "externalTracker" | "externalWikiUrl">;

const plainUnits = {
  hasPulls: "pulls",
  hasReleases: "releases",
  hasProjects: "projects",
  hasPackages: "packages",
  hasActions: "actions",
} as const satisfies Partial<Record<keyof UnitChanges, UnitName>>;

/** The units of a repository after some changes. */
export function unitsAfter(repository: UnitSettings, changes: UnitChanges): UnitSettings {
  const units = new Set(repository.units);
  const turn = (unit: UnitName, isOn: boolean) => (isOn ? units.add(unit) : units.delete(unit));
  for (const [change, unit] of Object.entries(plainUnits)) {
    const isOn = changes[change as keyof typeof plainUnits];
    if (isOn !== undefined) turn(unit, isOn);
  }
  const { externalTracker, externalWikiUrl, hasWiki } = changes;
  const hasIssues = changes.hasIssues ?? (units.has("issues") || units.has("ext_issues"));
  if (changes.hasIssues !== undefined || externalTracker !== undefined) {
    turn("ext_issues", hasIssues && externalTracker !== undefined);
    turn("issues", hasIssues && externalTracker === undefined);
  }
  const isWikiOn = hasWiki ?? (units.has("wiki") || units.has("ext_wiki"));
  if (hasWiki !== undefined || externalWikiUrl !== undefined) {
    turn("ext_wiki", isWikiOn && externalWikiUrl !== undefined);
    turn("wiki", isWikiOn && externalWikiUrl === undefined);
  }
  const tracker = externalTracker ?? repository.externalTracker;
  const wikiUrl = externalWikiUrl ?? repository.externalWikiUrl;
  return {
    units: [...units],
    tracker: { ...repository.tracker, ...changes.tracker },
    ...(tracker === undefined ? {} : { externalTracker: tracker }),
    ...(wikiUrl === undefined ? {} : { externalWikiUrl: wikiUrl }),
  };
}

/** Settings that a repository's item holds, and the fields that clients know them by. */
const settingFields = {
  url: "ExternalTrackerURL",
  format: "ExternalTrackerFormat",
  style: "ExternalTrackerStyle",
  pattern: "ExternalTrackerRegexpPattern",
  wiki: "ExternalWikiURL",
} as const;
const longestSetting = 1024;

/** Why a tracker or wiki elsewhere may not be named so, or undefined when it may. */
export function unitProblem({ externalTracker, externalWikiUrl }: UnitChanges): ForgeError | undefined {
  const texts: Readonly<Record<string, string>> = { ...externalTracker, wiki: externalWikiUrl ?? "" };
  const tooLong = Object.entries(settingFields).find(([name]) => (texts[name] ?? "").length > longestSetting);
  if (tooLong !== undefined) return invalid(tooLong[1], `MaxSize ${longestSetting}`);
  if (externalTracker !== undefined && !isWebUrl(externalTracker.url)) {
    return invalid("ExternalTrackerURL", "Url: expected a URL that starts with http:// or https://");
  }
  const format = externalTracker?.format ?? "";
  if (format !== "" && !isTrackerFormat(format)) {
    const message = "Url: expected a URL that holds {index}, and in braces user and repo alone beside it";
    return invalid("ExternalTrackerFormat", message);
  }
  if (externalWikiUrl !== undefined && !isWebUrl(externalWikiUrl)) {
    return invalid("ExternalWikiURL", "Url: expected a URL that starts with http:// or https://");
  }
  return undefined;
}

/** Braces that are left when its variables are filled in are slips of the pen. */
function isTrackerFormat(format: string): boolean {
  const filled = format.replace(/\{(user|repo|index)\}/g, "x");
  return isWebUrl(filled) && !/[{}]/.test(filled) && format.includes("{index}");
}
