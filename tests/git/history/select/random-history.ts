import { emptyTreeId, type ObjectFormat } from "#core/git/format/object-format";
import { git } from "#tests/git/pack/real-git";
import type { Random } from "#tests/support/random";

const paths = ["a", "b", "d/a", "d/b", "d/e/a", "d/e/f/g/a", "d.txt", "d-x/a", "naïve", "z/a b"];
const modes = ["100644", "100755", "120000"];

/** Names that are no text, and what else real repositories hold now and then. */
const oddPaths = ["not-utf8-\\377\\376", "d/\\351t\\351", "tab\\tname", `quote\\"d`, "-dash", "d/.hidden"];

export interface HistoryOptions {
  readonly format?: ObjectFormat;
  /** Adds submodules, folders of many files, whole folders that move, and names that are not UTF-8. */
  readonly isWild?: boolean;
  /** Adds folders of thousands of files, empty folders, and files that move from one folder to another. */
  readonly isVast?: boolean;
  /** Clocks never go back. */
  readonly isOrderly?: boolean;
}

/**
 * Writes a history into an empty repository: merges of two and more parents, roots without a parent, edits, moves,
 * deletions, contents that come back, clocks that go wrong, annotated tags and tags of tags, an empty tree. Every
 * commit gets a branch `c<number>`.
 */
export async function writeRandomHistory(
  folder: string,
  random: Random,
  commits: number,
  options: HistoryOptions = {},
): Promise<void> {
  const stream: string[] = [];
  let seconds = 1_700_000_000;
  for (let number = 1; number <= commits; number++) {
    seconds += random.chance(0.15) && !options.isOrderly ? -random.integer(5_000) : random.integer(300);
    stream.push(
      ...commit(random, number, seconds),
      ...(options.isWild ? wildChanges(random, number, options) : []),
      ...(options.isVast ? vastChanges(random, number, options) : []),
      "",
    );
    if (random.chance(0.2)) stream.push(...tag(`t${number}`, `:${number}`, seconds));
  }
  await git(folder, ["fast-import", "--quiet", "--force", "--date-format=raw"], stream.join("\n"));
  const [inner = ""] = (await git(folder, ["for-each-ref", "--format=%(objectname)", "refs/tags"]))
    .toString()
    .split("\n");
  if (inner !== "") {
    const outer = `object ${inner}\ntype tag\ntag outer\ntagger Ada <a@example.org> ${seconds} +0000\n\nof a tag\n`;
    const id = (await git(folder, ["hash-object", "-t", "tag", "-w", "--stdin"], outer)).toString().trim();
    await git(folder, ["update-ref", "refs/tags/outer", id]);
  }
}

function commit(random: Random, number: number, seconds: number): string[] {
  const earlier = Array.from({ length: number - 1 }, (_, index) => index + 1);
  const near = earlier.slice(-6);
  const isRoot = near.length === 0 || random.chance(0.05);
  const from = isRoot ? undefined : random.chance(0.8) ? near.at(-1) : random.pick(earlier);
  const merged =
    isRoot || !random.chance(0.3)
      ? []
      : random.some(
          earlier.filter((one) => one !== from),
          3,
        );
  return [
    `commit refs/heads/c${number}`,
    `mark :${number}`,
    `committer Ada <a@example.org> ${seconds} +0000`,
    "data 2",
    `c${number % 10}`,
    ...(from === undefined ? [] : [`from :${from}`]),
    ...merged.map((one) => `merge :${one}`),
    ...changes(random, number),
  ];
}

function wildChanges(random: Random, number: number, { format = "sha1" }: HistoryOptions): string[] {
  const lines: string[] = [];
  const file = (path: string, content: string) =>
    lines.push(`M ${random.pick(modes)} inline "${path}"`, `data ${Buffer.byteLength(content)}`, content);
  if (random.chance(0.3)) {
    const link = number.toString(16).padStart(format === "sha1" ? 40 : 64, "a");
    lines.push(`M 160000 ${link} "modules/${random.integer(2)}"`);
  }
  if (random.chance(0.3)) file(random.pick(oddPaths), `odd ${random.integer(4)}`);
  if (random.chance(0.08)) {
    const many = 200 + random.integer(800);
    for (let at = 0; at < many; at++) file(`wide/${at % 7}/${at}`, `${at}`);
  }
  if (random.chance(0.1)) {
    file("moving/from/a", `moves ${number}`);
    lines.push(`R "moving" "moved/${number % 3}"`);
  }
  return lines;
}

function vastChanges(random: Random, number: number, { format = "sha1" }: HistoryOptions): string[] {
  const lines: string[] = [];
  const file = (path: string, content: string) =>
    lines.push(`M 100644 inline ${path}`, `data ${content.length}`, content);
  if (random.chance(0.1)) {
    const many = 2_000 + random.integer(2_000);
    for (let at = 0; at < many; at++) file(`vast/${at}`, `${at % 50}`);
  }
  if (random.chance(0.3)) lines.push(`M 040000 ${emptyTreeId(format)} empty/${number % 3}/inside`);
  if (random.chance(0.3)) {
    file("leaves/here", `goes elsewhere ${number % 4}`);
    lines.push(`R leaves/here ${random.pick(["d/e/arrived", "z/deep/er/arrived", "arrived"])}`);
  }
  return lines;
}

function changes(random: Random, number: number): string[] {
  if (random.chance(0.04)) return ["deleteall"];
  const lines: string[] = [];
  for (let count = random.integer(4); count >= 0; count--) {
    const path = random.pick(paths);
    const quoted = JSON.stringify(path);
    if (random.chance(0.2)) lines.push(`D ${quoted}`);
    else {
      // A few contents that come back, and one that grows by a line so that it becomes a delta.
      const content = random.chance(0.5)
        ? `content ${random.integer(5)}`
        : Array.from({ length: number }, (_, line) => `line ${line} of a file that grows`).join("/");
      lines.push(`M ${random.pick(modes)} inline ${quoted}`, `data ${Buffer.byteLength(content)}`, content);
    }
  }
  return lines;
}

const tag = (name: string, target: string, seconds: number): string[] => [
  `tag ${name}`,
  `from ${target}`,
  `tagger Ada <a@example.org> ${seconds} +0000`,
  "data 1",
  "t",
];
