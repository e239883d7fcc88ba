import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const filesIn = (folder: string) =>
  readdirSync(join(project, folder), { recursive: true, encoding: "utf8" }).map(
    (file) => `${folder}/${file}`,
  );
const read = (file: string) => readFileSync(join(project, file), "utf8");

/** The beginnings of keys that a table file writes, such as `MEM#`. */
const keysIn = (file: string) => [...read(file).matchAll(/["`]([A-Z]{1,10}#)/g)].map(([, key = ""]) => key);

it("docs/data says where every kind of item lies, by the beginnings of its keys", () => {
  const pages = filesIn("docs/data").filter((file) => file.endsWith(".md"));
  const told = new Set(
    pages.flatMap((page) => [...read(page).matchAll(/[A-Z]{1,10}#/g)].map(([key]) => key)),
  );
  const tables = filesIn("core").filter((file) => file.endsWith(".table.ts"));
  const missing = tables.flatMap((file) =>
    keysIn(file)
      .filter((key) => !told.has(key))
      .map((key) => `${file}: ${key}`),
  );
  expect(missing).toEqual([]);
});
