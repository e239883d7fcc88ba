import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { writeArchive } from "#core/git/archive/archive";
import { defaultArchiveLimits } from "#core/git/archive/tree-extent";
import { objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { fileMode, serializeTree } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { packsOf } from "#tests/git/memory/pack-sets";
import { turnsDuring } from "#tests/support/thread-time";

const blobOf = (text: string): GitObject => ({ type: "blob", data: Buffer.from(text) });
const idOf = ({ type, data }: GitObject) => objectIdOf("sha1", type, data);

/** The tar of a folder of files with these names and this file of attributes, and how often others ran meanwhile. */
async function archived(attributes: string, names: readonly string[], limits = defaultArchiveLimits) {
  const [file, rules] = [blobOf("x"), blobOf(attributes)];
  const entries = [
    { mode: fileMode, path: ".gitattributes", id: idOf(rules) },
    ...names.map((path) => ({ mode: fileMode, path, id: idOf(file) })),
  ];
  const tree: GitObject = { type: "tree", data: serializeTree(entries) };
  const history = new History(await packsOf("sha1", [file, rules, tree]));
  let tar: Buffer | undefined;
  const turns = await turnsDuring(async () => {
    tar = await buffer(writeArchive(history, { tree: idOf(tree) }, { format: "tar", limits }));
  });
  return { tar, turns };
}

const manyNames = (count: number) => Array.from({ length: count }, (_, at) => `file-${at}.txt`);
const repeated = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("");

describe("writeArchive with .gitattributes that ask for much", () => {
  it.each([
    ["10,000 patterns of stars", repeated(10_000, (at) => `*a*b*${at}*c*e*1*t text\n`)],
    ["150,000 endings that all match", repeated(150_000, () => "*t text\n")],
    [
      "a macro of 40,000 others for each file",
      `[attr]m0 text\n${repeated(40_000, (at) => `[attr]m${at + 1} m${at}\n`)}* m40000\n`,
    ],
  ])("refuses %s after a bounded number of steps", async (_, attributes) => {
    const asked = archived(attributes, manyNames(2_000), {
      ...defaultArchiveLimits,
      attributeSteps: 2 ** 23,
    });
    await expect(asked).rejects.toMatchObject({
      code: "too-large",
      message: /\.gitattributes.*clone instead/,
    });
  });

  it("takes 200 rules and 5,000 files, and finds those of names and endings without trying them all", async () => {
    const rules = repeated(100, (at) => `*.e${at} text\nname-${at} text\n`);
    const { tar } = await archived(`${rules}*7.txt export-ignore\n`, manyNames(5_000));
    expect(String(tar).match(/file-\d+\.txt/g)).toHaveLength(4_500);
  });

  it("lets others run while a file of 260,000 rules is read and tried", async () => {
    const { turns } = await archived(repeated(260_000, () => "?b -a\n").slice(0, 2 ** 20), ["a"]);
    expect(turns).toBeGreaterThan(5);
  });
});
