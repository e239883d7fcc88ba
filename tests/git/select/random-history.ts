import { git } from "#tests/git/pack/real-git";
import type { Random } from "#tests/support/random";

const paths = ["a", "b", "d/a", "d/b", "d/e/a", "d/e/f/g/a", "d.txt", "d-x/a", "naïve", "z/a b"];
const modes = ["100644", "100755", "120000"];

/**
 * Writes a history into an empty repository: merges of two and more parents, roots without a parent, edits, moves,
 * deletions, contents that come back, clocks that go wrong, annotated tags and tags of tags, an empty tree. Every
 * commit gets a branch `c<number>`.
 */
export async function writeRandomHistory(folder: string, random: Random, commits: number): Promise<void> {
  const stream: string[] = [];
  let seconds = 1_700_000_000;
  for (let number = 1; number <= commits; number++) {
    seconds += random.chance(0.15) ? -random.integer(5_000) : random.integer(300);
    stream.push(...commit(random, number, seconds));
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
    "",
  ];
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
