import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** As the start command does it; a variable, because the launcher has no types. */
const launcher: string = "../../../infra/local/bundle.mjs";
const { bundle, programs } = (await import(launcher)) as {
  bundle(entries: object): Promise<string>;
  programs: object;
};
const folder = await bundle(programs);

it("a start reads one file of our code: in ASCII, or Node would keep it with two bytes a character", () => {
  const text = readFileSync(join(folder, "main.mjs"), "utf8");
  const others = [...text.matchAll(/[^\0-\x7f]/g)].map(({ index }) => text.slice(index - 60, index + 20));
  expect(others).toEqual([]);
});

it("imports each package that lies beside it by a name that it has", async () => {
  const texts = ["main.mjs", "compute-thread.mjs"].map((name) => readFileSync(join(folder, name), "utf8"));
  const imported = texts.flatMap((text) => [...text.matchAll(/import\("\.\/(packages\/[^"]+)"\)/g)]);
  const names = [...new Set(imported.map(([, name = ""]) => name))].sort();
  expect(names).toContain("packages/markdown-it.mjs");
  const files = readdirSync(join(folder, "packages"), { recursive: true, encoding: "utf8" });
  const beside = files.filter((file) => file.endsWith(".mjs")).map((file) => `packages/${file}`);
  expect(beside.sort()).toEqual(names);
});
