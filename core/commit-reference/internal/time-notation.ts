const secondsOf: Readonly<Record<string, number>> = {
  m: 60,
  h: 3_600,
  d: 8 * 3_600,
  w: 5 * 8 * 3_600,
};
/** A year of work: more is a slip. */
const mostSeconds = 52 * 5 * 8 * 3_600;

/**
 * The seconds that a notation such as `@1h30m` directly behind a reference gives (semantics §20.4): minutes, hours,
 * days of eight hours, weeks of five days; 0 when there is none, or too much.
 */
export function timeAfter(text: string, end: number): number {
  const notation = /^[ \t]+@((?:\d{1,5}(?:\.\d{1,2})?[mhdw]){1,4})(?=$|[\s)\]}'",;:!?]|\.(?:$|\s))/i.exec(
    text.slice(end, end + 60),
  )?.[1];
  if (notation === undefined) return 0;
  const parts = [...notation.toLowerCase().matchAll(/([\d.]+)([mhdw])/g)];
  const seconds = parts.reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (secondsOf[unit] ?? 0),
    0,
  );
  return seconds > mostSeconds ? 0 : Math.round(seconds);
}
