/** Severity of a line; `debug` is dropped unless the log was made with it. */
export type LogLevel = "debug" | "info" | "warn" | "error";
/** Facts of a line. Never a secret: no tokens, passwords, keys or authorization headers. */
export type LogFields = Record<string, unknown>;

/** Writes JSON lines. `event` is a kebab-case id with a component prefix, such as `receive:commit-refs`. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** The same log, whose every line has `fields` (such as the request id) before its own. */
export function withFields(log: Log, fields: LogFields): Log {
  const line =
    (level: LogLevel) =>
    (event: string, more: LogFields = {}) =>
      log[level](event, { ...fields, ...more });
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}

function plain(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const cause = value.cause === undefined ? {} : { cause: plain(value.cause) };
  return { name: value.name, message: value.message, stack: value.stack, ...cause };
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** A log that hands finished JSON lines (without the newline) to `write`. */
export function createLog(write: (line: string) => void, least: LogLevel = "info"): Log {
  const line =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      if (levels.indexOf(level) < levels.indexOf(least)) return;
      const shown = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
      write(JSON.stringify({ time: new Date().toISOString(), level, event, ...shown }));
    };
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}

/** The process's log: standard error, so that standard output stays free for the output that a person asked for. */
export const standardErrorLog = (least: LogLevel = "info"): Log =>
  createLog((line) => process.stderr.write(`${line}\n`), least);
