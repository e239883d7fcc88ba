/** The names of a path's parameters. */
export type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;
const numberNames = [
  "id",
  "index",
  "attachment_id",
  "artifact_id",
  "run",
  "runner_id",
  "job_id",
  "attempt",
] as const;
type NumberName = (typeof numberNames)[number];
/** Path parameters by name; ids and `index` are whole numbers. */
export type Params<Path extends string> = {
  readonly [Name in ParamNames<Path>]: Name extends NumberName ? number : string;
};
const numbers: ReadonlySet<string> = new Set(numberNames);
/** Whether a path parameter is a whole number. */
export const isNumber = (name: string): boolean => numbers.has(name);

/** The values of `{diffType}` in `{name}.{diffType}`: other dots belong to the name. */
export const diffTypes = ["diff", "patch"] as const;

/** The names and numbers in a request's path. */
export type PathParams = Readonly<Record<string, string | number>>;
