import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

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

it("keeps the folders of versions that may still run, and goes on when another start renames its own", async () => {
  const project = smallProject();
  const built = join(project, ".build");
  const daysAgo = (name: string, days: number) => {
    mkdirSync(join(built, name), { recursive: true });
    const then = Date.now() / 1000 - days * 24 * 3600;
    utimesSync(join(built, name), then, then);
  };
  for (const [name, days] of Object.entries({
    young: 6,
    running: 20,
    before: 30,
    oldest: 40,
    "draft-left": 8,
  }))
    daysAgo(name, days);
  symlinkSync("renamed", join(built, "draft-other")); // listed, but gone when it is looked at
  const its: { bundle: typeof bundle } = await import(join(project, "infra/local/bundle.mjs"));
  const made = await its.bundle({ main: "core/main.ts" });
  expect(readFileSync(join(made, "main.mjs"), "utf8")).toContain("small");
  const kept = ["before", "draft-other", "running", "young"];
  expect(readdirSync(built).filter((name) => join(built, name) !== made)).toEqual(kept);
});

/** A project of one source file, with the launcher's bundler and the packages of this one. */
function smallProject(): string {
  const here = join(import.meta.dirname, "../../..");
  const project = mkdtempSync(join(tmpdir(), "coldforge-bundle-"));
  onTestFinished(() => rmSync(project, { recursive: true }));
  for (const folder of ["core", "functions", "infra/local"])
    mkdirSync(join(project, folder), { recursive: true });
  copyFileSync(join(here, "infra/local/bundle.mjs"), join(project, "infra/local/bundle.mjs"));
  writeFileSync(join(project, "package-lock.json"), "{}");
  writeFileSync(join(project, "core/main.ts"), 'console.log("small");');
  symlinkSync(join(here, "node_modules"), join(project, "node_modules"));
  return project;
}
