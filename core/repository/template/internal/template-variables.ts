import type { Config } from "../../../config.ts";
import { isDotGit } from "../../../git/format/check-path.ts";
import type { Owner } from "../../../owner/owner.ts";
import type { Repository } from "../../repository.table.ts";

/** One side of a generation: the template, or the new repository. */
export interface VariableSource {
  readonly repository: Pick<Repository, "name" | "description">;
  readonly owner: Pick<Owner, "name">;
}

const months = "January February March April May June July August September October November December".split(
  " ",
);

/** The words of a name, which the suffixes of variables join in other ways. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z\d]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const suffixes: Readonly<Record<string, (text: string) => string>> = {
  SNAKE: (text) => wordsOf(text).join("_"),
  KEBAB: (text) => wordsOf(text).join("-"),
  CAMEL: (text) =>
    wordsOf(text)
      .map((word, at) => (at === 0 ? word : capitalized(word)))
      .join(""),
  PASCAL: (text) => wordsOf(text).map(capitalized).join(""),
  LOWER: (text) => text.toLowerCase(),
  UPPER: (text) => text.toUpperCase(),
  TITLE: (text) => text.replace(/[A-Za-z\d]+/g, capitalized),
};

/** The variables that files of a template may name (semantics §41.1), with their values. */
export function templateVariables(
  { rootUrl }: Pick<Config, "rootUrl">,
  template: VariableSource,
  made: VariableSource,
  at: Date,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>([
    ["YEAR", String(at.getUTCFullYear())],
    ["MONTH", String(at.getUTCMonth() + 1).padStart(2, "0")],
    ["MONTH_ENGLISH", months[at.getUTCMonth()] ?? ""],
    ["DAY", String(at.getUTCDate()).padStart(2, "0")],
  ]);
  for (const [prefix, { repository, owner }] of [
    ["TEMPLATE", template],
    ["REPO", made],
  ] as const) {
    const path = `${owner.name}/${repository.name}`;
    const named = { [`${prefix}_NAME`]: repository.name, [`${prefix}_OWNER`]: owner.name };
    for (const [name, value] of Object.entries(named)) {
      values.set(name, value);
      for (const [suffix, change] of Object.entries(suffixes)) values.set(`${name}_${suffix}`, change(value));
    }
    values.set(`${prefix}_DESCRIPTION`, repository.description);
    values.set(`${prefix}_LINK`, `${rootUrl}/${path}`);
    values.set(`${prefix}_HTTPS_URL`, `${rootUrl}/${path}.git`);
    values.set(`${prefix}_SSH_URL`, `git@${new URL(rootUrl).hostname}:${path}.git`);
  }
  return values;
}

const named = /\$(?:\{([A-Z_]+)\}|([A-Z_]+))/g;

/** The text with `$NAME` and `${NAME}` replaced by their values; other dollars stay. */
export const expand = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(named, (whole, braced?: string, plain?: string) => values.get(braced ?? plain ?? "") ?? whole);

/** How long that text is. */
export function expandedLength(text: string, values: ReadonlyMap<string, string>): number {
  let length = text.length;
  for (const [whole, braced, plain] of text.matchAll(named)) {
    length += (values.get(braced ?? plain ?? "") ?? whole).length - whole.length;
  }
  return length;
}

/** Values for paths: they must not make other folders of one, nor leave it. */
export const pathValues = (values: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...values].map(([name, value]) => [name, value.replace(/[/\\:*?"<>|\p{Cc}]/gu, "_")]));

/** As `expand` in a path, with such values. A name that git refuses is not expanded. */
export const expandPath = (path: string, values: ReadonlyMap<string, string>): string =>
  path
    .split("/")
    .map((part) => {
      const expanded = expand(part, values);
      return /^\.{0,2}$/.test(expanded) || isDotGit(Buffer.from(expanded)) ? part : expanded;
    })
    .join("/");
