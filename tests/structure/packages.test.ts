import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const readJson = (file: string) => JSON.parse(readFileSync(join(project, file), "utf8"));

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const locked: Readonly<Record<string, LockedPackage>> = readJson("package-lock.json").packages;

/** Bundled in place of the package by the start command, and by SST itself where it deploys. */
const providedBySst = ["sst"];

describe("packages", () => {
  it("are named with exact versions", () => {
    const { dependencies, devDependencies, optionalDependencies } = readJson("package.json");
    const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([]);
  });

  it("are declared where the product imports them: what happens to lie in node_modules is not there elsewhere", () => {
    const { dependencies } = readJson("package.json");
    const declared = new Set([...Object.keys(dependencies), ...providedBySst]);
    const files = ["core", "functions", "infra/local"].flatMap((folder) =>
      readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => /\.m?[jt]s$/.test(file))
        .map((file) => join(folder, file)),
    );
    const imported = files.flatMap((file) => {
      const text = readFileSync(join(project, file), "utf8").replaceAll(/^import type .*$/gm, "");
      const names = text.matchAll(
        /(?:^|\s)(?:from|import)\s*\(?\s*"((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^"]*)?"/g,
      );
      return [...names].map(([, name = ""]) => `${file}: ${name}`);
    });
    expect(imported).toContain("functions/openapi/openapi.ts: @hono/zod-openapi");
    expect(imported.filter((one) => !declared.has(one.split(": ")[1] ?? ""))).toEqual([]);
  });

  it("are all locked, those for other platforms too: npm ci refuses a lock that lacks one", () => {
    const missing = Object.entries(locked).flatMap(([place, one]) =>
      Object.keys(one.optionalDependencies ?? {}).filter(
        (name) =>
          locked[`node_modules/${name}`] === undefined &&
          locked[`${place}/node_modules/${name}`] === undefined,
      ),
    );
    expect(missing).toEqual([]);
  });

  it("are fetched from whatever registry npm is set to", () => {
    expect(Object.values(locked).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });

  it("run no install script but esbuild's, which the project switches off", () => {
    const scripted = Object.entries(locked).filter(([, one]) => one.hasInstallScript === true);
    expect(scripted.map(([place]) => place)).toEqual(["node_modules/esbuild"]);
    expect(readFileSync(join(project, ".npmrc"), "utf8")).toContain("ignore-scripts=true");
  });
});
