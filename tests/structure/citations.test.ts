import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const read = (file: string) => readFileSync(join(project, file), "utf8");

const requirements: readonly { readonly key: string }[] = JSON.parse(read("docs/spec/requirements.json"));
const requirementKeys = requirements.map(({ key }) => key);
const decisionKeys = [...read("docs/spec/decisions.md").matchAll(/^\| (D-[A-Z0-9-]+) \|/gm)].map(
  ([, key = ""]) => key,
);
const semantics = sectionsOf(read("docs/spec/semantics.md") + read("docs/spec/semantics-2.md"));

/** A section's number, as a pattern. */
const number = "\\d+(?:\\.\\d+)*";

/** The text of each numbered section, by its number. */
function sectionsOf(text: string): ReadonlyMap<string, string> {
  const parts = text.split(/^#{2,3} (\d+(?:\.\d+)?)\.? /m).slice(1);
  const sections = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) sections.set(parts[at] ?? "", parts[at + 1] ?? "");
  return sections;
}

const folders = ["core", "functions", "infra", "tests", "docs"];
const files = [
  "README.md",
  "CONTRIBUTING.md",
  ...folders.flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(ts|mjs|md)$/.test(file))
      .map((file) => `${folder}/${file}`),
  ),
].filter((file) => !/^docs\/spec\/(?:semantics|README)|^tests\/structure\/citations/.test(file));

/** Each file as running text: comments that go on in the next line are put together. */
const texts = new Map(files.map((file) => [file, read(file).replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ")]));
const running = (file: string) => texts.get(file) ?? "";

/** What each file cites, as `file: citation`, where `resolves` says no. */
function unresolved(citations: RegExp, resolves: (citation: string) => boolean): string[] {
  return files.flatMap((file) =>
    [...running(file).matchAll(citations)]
      .map(([whole, citation = whole]) => citation)
      .filter((citation) => !resolves(citation))
      .map((citation) => `${file}: ${citation}`),
  );
}

/** `19.3` is a section; `19.8-4` also the fourth scenario in it. */
function isInSemantics(citation: string): boolean {
  const [section = "", item] = citation.split("-");
  const text = semantics.get(section);
  return text !== undefined && (item === undefined || new RegExp(`(^|\\s)${item}\\. `, "m").test(text));
}

describe("what comments, titles and docs cite", () => {
  it("of the semantics is a section that is there, and a scenario in it", () => {
    expect(semantics.size).toBeGreaterThan(200);
    expect(unresolved(new RegExp(`(?<!RFC \\d+ )§(${number}(?:-\\d+)?)`, "g"), isInSemantics)).toEqual([]);
  });

  it("by a number alone is an RFC's or the semantics', which say so with the sign", () => {
    const wellSaid = new RegExp(
      `(?:semantics|RFC \\d+) §${number}(?:-\\d+)?(?:(?:,| and) §${number}(?:-\\d+)?)*`,
      "gi",
    );
    const others = files.filter((file) => running(file).replaceAll(wellSaid, "").includes("§"));
    expect(others).toEqual([]);
    expect(unresolved(new RegExp(`semantics(?:-2)?(?:\\.md)?,? ${number}`, "gi"), () => false)).toEqual([]);
  });

  it("as a decision has its row", () => {
    expect(unresolved(/\bD-[A-Z0-9][A-Z0-9-]*[A-Z0-9]\b/g, (key) => decisionKeys.includes(key))).toEqual([]);
  });

  it("as a requirement has its row, or is the first part of several keys", () => {
    const kinds = [...new Set(requirementKeys.map((key) => key.split("-")[0]))].join("|");
    const resolves = (cited: string) =>
      requirementKeys.some((key) => key === cited || (key.slice(0, -1) === cited && /[a-z]$/.test(key)));
    expect(unresolved(new RegExp(`\\b(?<!D-)(?:${kinds})-[\\w.:]*\\w`, "g"), resolves)).toEqual([]);
  });
});
