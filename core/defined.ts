type Optional<T> = {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};
type Required<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] };

/** The members that are not undefined: absent ones instead of present ones without a value. */
export function defined<T extends object>(values: T): Optional<T> & Required<T> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) result[name] = value;
  return result as Optional<T> & Required<T>;
}
