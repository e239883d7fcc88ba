import { isUnitOffered, type UnitLimits } from "../../access/enabled-units.ts";
import type { UnitName } from "../../access/modes.ts";
import { defined } from "../../defined.ts";
import { type ForgeError, invalid } from "../../errors.ts";
import { isWebUrl } from "../../text.ts";
import type { ExternalTracker, Repository, TrackerSettings } from "../repository.table.ts";

/** The units of a repository to switch, and their settings; absent members stay. */
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

/**
 * The units of a repository after some changes. Units that the installation does not offer silently stay as they were.
 */
export function unitsAfter(limits: UnitLimits, repository: UnitSettings, changes: UnitChanges): UnitSettings {
  const units = new Set(repository.units);
  for (const [change, unit] of Object.entries(plainUnits)) {
    const isOn = changes[change as keyof typeof plainUnits];
    if (isOn === undefined || !isUnitOffered(limits, unit)) continue;
    if (isOn) units.add(unit);
    else units.delete(unit);
  }
  const { externalTracker, externalWikiUrl, hasIssues, hasWiki } = changes;
  turnEither(units, limits, ["issues", "ext_issues"], hasIssues, externalTracker !== undefined);
  turnEither(units, limits, ["wiki", "ext_wiki"], hasWiki, externalWikiUrl !== undefined);
  const tracker = externalTracker ?? repository.externalTracker;
  const wikiUrl = externalWikiUrl ?? repository.externalWikiUrl;
  return {
    units: [...units],
    tracker: { ...repository.tracker, ...changes.tracker },
    ...defined({ externalTracker: tracker, externalWikiUrl: wikiUrl }),
  };
}

/** Two units of which a repository has at most one: the one here, and its replacement elsewhere. */
function turnEither(
  units: Set<UnitName>,
  limits: UnitLimits,
  both: readonly [here: UnitName, elsewhere: UnitName],
  asked: boolean | undefined,
  isElsewhere: boolean,
): void {
  if (asked === undefined && !isElsewhere) return;
  const offered = both.filter((unit) => isUnitOffered(limits, unit));
  const isOn = asked ?? offered.some((unit) => units.has(unit));
  const [wanted, other] = isElsewhere ? [both[1], both[0]] : both;
  if (!isOn) {
    for (const unit of offered) units.delete(unit);
  } else if (offered.includes(wanted)) {
    units.add(wanted);
    units.delete(other);
  }
}

/** Settings in a repository's item, and clients' names for the fields. */
const settingFields = {
  url: "ExternalTrackerURL",
  format: "ExternalTrackerFormat",
  style: "ExternalTrackerStyle",
  pattern: "ExternalTrackerRegexpPattern",
  wiki: "ExternalWikiURL",
} as const;
const longestSetting = 1024;

/** Why a tracker or wiki elsewhere may not have this address, or undefined when it may. */
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

/** Braces that are left after its variables are filled in are mistakes. */
function isTrackerFormat(format: string): boolean {
  const filled = format.replace(/\{(user|repo|index)\}/g, "x");
  return isWebUrl(filled) && !/[{}]/.test(filled) && format.includes("{index}");
}
