const words: ReadonlyMap<string, boolean> = new Map([
  ["", true],
  ["1", true],
  ["true", true],
  ["0", false],
  ["false", false],
]);

/** The value of an option of `git push -o`, the last one when there are several: empty for one without a value. */
export function findPushOption(options: readonly string[], name: string): string | undefined {
  const own = options.findLast((option) => option === name || option.startsWith(`${name}=`));
  return own?.slice(name.length + 1);
}

const base64Mark = "{base64}";

/** The same of a text, which may have several lines: git sends none in an option, so they come as `{base64}…`. */
export function findPushText(options: readonly string[], name: string): string | undefined {
  const value = findPushOption(options, name);
  if (value?.startsWith(base64Mark) !== true) return value;
  return Buffer.from(value.slice(base64Mark.length), "base64").toString("utf8");
}

/** The same as a boolean: true without a value, undefined for one that is no boolean. */
export const findPushFlag = (options: readonly string[], name: string): boolean | undefined =>
  words.get(findPushOption(options, name)?.toLowerCase() ?? "absent");
