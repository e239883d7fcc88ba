import { expect, it } from "vitest";
import { createLog, type LogLevel } from "#core/log";
import { faultPattern } from "#infra/aws/fault-pattern";

const anyOf = /^\{ (.+) \}$/;
const equality = /^\(\$\.([\w.]+) = "(\w+)"\)$/;

/** What CloudWatch makes of a filter that is a row of equalities: whether a line of JSON meets one of them. */
function isFault(line: string): boolean {
  const terms = anyOf.exec(faultPattern)?.[1]?.split(" || ") ?? [];
  return terms.some((term) => {
    const [, path = "", wanted] = equality.exec(term) ?? [];
    const found = path
      .split(".")
      .reduce<unknown>(
        (value, name) => (value as Record<string, unknown> | undefined)?.[name],
        JSON.parse(line),
      );
    return wanted !== undefined && found === wanted;
  });
}

it("a caught 500, a failed task and a failed message count as faults; refusals, warnings and news don't", () => {
  const lines: [LogLevel, string][] = [];
  for (const level of ["debug", "info", "warn", "error"] as const) {
    createLog((line) => lines.push([level, line]), "debug")[level]("api:unexpected-error", { status: 500 });
  }
  expect(lines.filter(([, line]) => isFault(line)).map(([level]) => level)).toEqual(["error"]);
});

it("a run that crashed, or was cut off, counts as a fault; one that ended well doesn't", () => {
  const report = (status: string) =>
    JSON.stringify({
      type: "platform.report",
      record: { requestId: "r", metrics: { durationMs: 1 }, status },
    });
  const ends = ["success", "error", "failure", "timeout"].filter((status) => isFault(report(status)));
  expect(ends).toEqual(["error", "failure", "timeout"]);
  expect(isFault(JSON.stringify({ level: "ERROR", message: { errorType: "Runtime.ExitError" } }))).toBe(true);
  expect(isFault(JSON.stringify({ type: "platform.start", record: { requestId: "r" } }))).toBe(false);
});
