/** Whole seconds for people, such as `1h 5m 3s`; hours go on beyond a day. */
export function durationText(seconds: number): string {
  const whole = Math.abs(seconds);
  const parts = [
    [Math.floor(whole / 3600), "h"],
    [Math.floor(whole / 60) % 60, "m"],
    [whole % 60, "s"],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count}${unit}`);
  return shown.length === 0 ? "0s" : `${seconds < 0 ? "-" : ""}${shown.join(" ")}`;
}
