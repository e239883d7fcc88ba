import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { engines } from "../engines/engines.mjs";
import { tableTests } from "../engines/table-tests.ts";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(project, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];
const isQuick = (file: string) => file.endsWith(".test.ts") && !/\.(?:long|soak)\./.test(file);
const read = (page: string) => readFileSync(join(project, page), "utf8");

/** What a page's links may name after `#`: its headings, and anchors of its own. */
const anchorsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$|<a id="(.+?)">/gm)].map(([, heading, anchor = ""]) =>
    (heading ?? anchor)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

/** Whether a link on a page leads to a file or folder of the project, and to a heading in it. */
function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(project, target))) return false;
  return anchor === undefined || (target.endsWith(".md") && anchorsOf(target).includes(anchor));
}

it("links between the project's pages lead to files and headings that are there", () => {
  const broken = pages.flatMap((page) =>
    [
      ...read(page)
        .replaceAll(/`[^`]*`/g, "")
        .matchAll(/\]\((?!https?:)([^)\s]+)\)/g),
    ]
      .map(([, link = ""]) => link)
      .filter((link) => !leadsSomewhere(page, link))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

it("files that the pages name by their whole path are there", () => {
  const missing = pages.flatMap((page) =>
    [...read(page).matchAll(/`((?:core|functions|infra|tests|docs)\/[\w./-]+\.(?:ts|mjs|json|md))`/g)]
      .filter(([, file = ""]) => !existsSync(join(project, file)))
      .map(([, file]) => `${page}: ${file}`),
  );
  expect(missing).toEqual([]);
});

it("commands that the pages name are there: scripts of npm and parts of the bench", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const parts = [...read("tests/bench/bench.ts").matchAll(/^ {2}"?([a-z-]+)"?: \w+Figures,$/gm)].map(
    ([, part]) => part,
  );
  const texts = pages.map((page) => [page, read(page)] as const);
  const unknown = texts.flatMap(([page, text]) => [
    ...[...text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)]
      .filter(([, script = ""]) => scripts[script] === undefined)
      .map(([command]) => `${page}: ${command}`),
    ...[...text.matchAll(/npm run bench(?: --)? ([a-z -]+)/g)]
      .filter(([, named = ""]) =>
        named
          .trim()
          .split(" ")
          .some((part) => !parts.includes(part)),
      )
      .map(([command]) => `${page}: ${command}`),
  ]);
  expect(unknown).toEqual([]);
});

it("tests that are played on other engines are there", () => {
  const tests = readdirSync(join(project, "tests"), { recursive: true, encoding: "utf8" }).map(
    (file) => `tests/${file}`,
  );
  const quick = tests.filter(isQuick);
  const played = Object.values(engines).flatMap((engine) => engine.tests ?? []);
  expect(played.filter((place) => !quick.some((file) => file.includes(place)))).toEqual([]);
});

it("on Amazon's engine, tests of every noun of the API are played: a new one comes in by itself", () => {
  const played = tableTests();
  const nouns = readdirSync(join(project, "tests", "api"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(join(entry.parentPath, entry.name)).some(isQuick))
    .map(({ name }) => `tests/api/${name}/`);
  const others = ["tests/core/table/", "tests/git/store/", "tests/oauth2/", "tests/pages/", "tests/runners/"];
  expect([...nouns, ...others].filter((place) => !played.some((file) => file.startsWith(place)))).toEqual([]);
});

it("the glossary of CONTRIBUTING has at most 25 words: a name of the field needs no row", () => {
  expect(read("CONTRIBUTING.md").match(/^\| \*\*/gm)?.length).toBeLessThanOrEqual(25);
});
