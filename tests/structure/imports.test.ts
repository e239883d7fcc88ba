import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Every import between files of ours, as paths from the project's folder. */
async function ownImports(): Promise<Import[]> {
  const found: Import[] = [];
  for (const folder of ["core", "functions", "infra", "tests"]) {
    for await (const file of sourceFiles(folder)) {
      const text = readFileSync(join(project, file), "utf8");
      for (const [, target = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
        const to = resolveImport(file, target);
        if (to !== undefined) found.push({ from: file, to });
      }
    }
  }
  return found;
}

async function* sourceFiles(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(join(project, folder), { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /\.(ts|mjs)$/.test(entry.name)) {
      yield relative(project, join(entry.parentPath, entry.name));
    }
  }
}

function resolveImport(file: string, target: string): string | undefined {
  if (target.startsWith(".")) return relative(project, join(project, dirname(file), target));
  return target.startsWith("#") ? `${target.slice(1)}.ts` : undefined;
}

const topOf = (path: string) => path.split("/")[0] ?? "";
const allowed: Readonly<Record<string, readonly string[]>> = {
  core: ["core"],
  functions: ["functions", "core"],
  infra: ["infra", "functions", "core"],
  tests: ["tests", "infra", "functions", "core"],
};
/** Folders and files of core that are not nouns: every noun may use them. */
const shared = new Set([
  "aws",
  "git",
  "compute",
  "table",
  "blobs",
  "config",
  "directory",
  "jobs",
  "access",
  "owner",
  "guarded-client",
]);

describe("imports", () => {
  it("point one way: functions → core; infra → functions, core; core → core alone", async () => {
    const wrong = (await ownImports()).filter(
      ({ from, to }) => allowed[topOf(from)]?.includes(topOf(to)) !== true,
    );
    expect(wrong).toEqual([]);
  });

  it("of core/git reach no noun of the forge", async () => {
    const doors = /^core\/(?:compute\/)?[a-z-]+\.ts$/;
    const wrong = (await ownImports()).filter(
      ({ from, to }) => from.startsWith("core/git/") && !to.startsWith("core/git/") && !doors.test(to),
    );
    expect(wrong).toEqual([]);
  });

  it("of a noun reach another noun only through its verbs, its table, or its own folder", async () => {
    const nounOf = (path: string) => (path.split("/").length > 2 ? (path.split("/")[1] ?? "") : "");
    const wrong = (await ownImports()).filter(({ from, to }) => {
      const [own, other] = [nounOf(from), nounOf(to)];
      const isBetweenNouns =
        from.startsWith("core/") && to.startsWith("core/") && other !== "" && own !== other;
      return isBetweenNouns && !shared.has(other) && !isFacade(to, other);
    });
    expect(wrong).toEqual([]);
  });

  it("of the AWS SDK stand only in the three doors, where the clients are made, and in the local stand-ins", async () => {
    const users: string[] = [];
    for (const folder of ["core", "functions"]) {
      for await (const file of sourceFiles(folder)) {
        if (readFileSync(join(project, file), "utf8").includes('"@aws-sdk/')) users.push(file);
      }
    }
    const doors = ["core/blobs.ts", "core/queues.ts", "core/table.ts"];
    expect(users.filter((file) => !doors.includes(file) && !/^core\/(aws|table|blobs)\//.test(file))).toEqual(
      [],
    );
  });
});

/** `core/issue/issue.ts`, `core/issue/issue.table.ts`: what other nouns may use. */
function isFacade(path: string, noun: string): boolean {
  return path === `core/${noun}/${noun}.ts` || path === `core/${noun}/${noun}.table.ts`;
}
