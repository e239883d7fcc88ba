import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** One file of ours asks for another: paths from the project's folder. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** Source files in some folders of the project, as paths from its own. */
export const sourceFiles = (...folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
      .map((entry) => relative(project, join(entry.parentPath, entry.name))),
  );

export const readSource = (file: string): string => readFileSync(join(project, file), "utf8");

/** Every import between files of ours, of types and at run time as well. */
export const ownImports = (): Import[] =>
  importsBy(/(?:from|import)\s*\(?\s*"([^"]+)"/g, "core", "functions", "infra", "tests");

/** The imports that load a file when another is loaded: no types, and nothing that is imported later. */
export const loadingImports = (): Import[] =>
  importsBy(/^import (?!type\b)(?:[^";]+ from )?"([^"]+)";/gm, "core", "functions", "infra");

function importsBy(pattern: RegExp, ...folders: readonly string[]): Import[] {
  return sourceFiles(...folders).flatMap((from) =>
    [...readSource(from).matchAll(pattern)].flatMap(([, target = ""]) => {
      const to = resolveImport(from, target);
      return to === undefined ? [] : [{ from, to }];
    }),
  );
}

function resolveImport(file: string, target: string): string | undefined {
  if (target.startsWith(".")) return relative(project, join(project, dirname(file), target));
  return target.startsWith("#") ? `${target.slice(1)}.ts` : undefined;
}
