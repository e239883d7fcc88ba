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
export const loadingImports = (...more: readonly "tests"[]): Import[] =>
  importsBy(/^import (?!type\b)(?:[^";]+ from )?"([^"]+)";/gm, "core", "functions", "infra", ...more);

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
  if (target === "#zod") return "functions/http/zod.mjs";
  return target.startsWith("#") ? `${target.slice(1)}.ts` : undefined;
}

/** The targets of each file's imports. */
export function targetsByFile(imports: readonly Import[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) {
    const others = targets.get(from);
    if (others === undefined) targets.set(from, [to]);
    else others.push(to);
  }
  return targets;
}

/** The files that are loaded with a file: itself and all that its imports lead to. */
export function closureOf(targets: ReadonlyMap<string, readonly string[]>, file: string): Set<string> {
  const loaded = new Set([file]);
  for (const one of loaded) for (const target of targets.get(one) ?? []) loaded.add(target);
  return loaded;
}

/** Groups of files that load each other, in whatever number of steps. */
export function circlesIn(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const closures = new Map([...targets.keys()].map((file) => [file, closureOf(targets, file)]));
  const circles = new Map<string, string[]>();
  for (const [file, loaded] of closures) {
    const circle = [...loaded].filter((other) => other === file || closures.get(other)?.has(file)).sort();
    if (circle.length > 1) circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}
