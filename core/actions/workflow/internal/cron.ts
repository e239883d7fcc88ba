import { Cron } from "croner";

/** A cron text as it runs: at times of a clock in a zone, or after equal pauses. */
type CronPlan =
  | { readonly kind: "clock"; readonly fields: string; readonly zone: string }
  | { readonly kind: "every"; readonly seconds: number };

/** The tick comes once a minute: nothing runs more often. */
const leastPauseSeconds = 60;
const longestPauseSeconds = 10 * 365 * 86_400;

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const unitSeconds: Readonly<Record<string, number>> = { ms: 1e-3, s: 1, m: 60, h: 3_600 };

/**
 * When a cron text is next due after a time, both in whole seconds; undefined when it is none, or never is
 * (semantics §11.1): five fields, a descriptor or `@every 5m`, in UTC unless it begins with `TZ=` or `CRON_TZ=`.
 */
export function nextCronTime(text: string, afterSeconds: number): number | undefined {
  const plan = parseCron(text);
  if (plan === undefined) return undefined;
  if (plan.kind === "every") return afterSeconds + plan.seconds;
  try {
    const cron = new Cron(plan.fields, { timezone: plan.zone, paused: true, mode: "5-part" });
    const next = cron.nextRun(new Date(afterSeconds * 1000));
    return next === null ? undefined : Math.floor(next.getTime() / 1000);
  } catch {
    return undefined; // the library refuses what it can't read by throwing
  }
}

function parseCron(text: string): CronPlan | undefined {
  const [, zone = "UTC", rest = ""] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/s.exec(text.trim()) ?? [];
  if (!isZone(zone)) return undefined;
  const spec = rest.trim();
  const every = /^@every\s+(\S+)$/.exec(spec)?.[1];
  if (every !== undefined) return everyPlan(every);
  if (spec.startsWith("@")) {
    const fields = Object.hasOwn(descriptors, spec) ? descriptors[spec] : undefined;
    return fields === undefined ? undefined : { kind: "clock", fields, zone };
  }
  const fields = spec.split(/\s+/);
  // No letters but names: the library knows signs that other readers of cron texts don't.
  const isPlain = fields.every((field) =>
    /^(?:[\d*?,/-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)+$/i.test(
      field,
    ),
  );
  if (fields.length !== 5 || !isPlain) return undefined;
  return { kind: "clock", fields: fields.join(" ").replaceAll("?", "*"), zone };
}

function everyPlan(text: string): CronPlan | undefined {
  if (text.length > 50 || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, count = "", , unit = ""] of text.matchAll(/(\d+(\.\d+)?)(ms|s|m|h)/g)) {
    seconds += Number(count) * (unitSeconds[unit] ?? 0);
  }
  if (seconds > longestPauseSeconds) return undefined;
  return { kind: "every", seconds: Math.max(leastPauseSeconds, Math.floor(seconds)) };
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false; // RangeError: there is no such zone
  }
}
