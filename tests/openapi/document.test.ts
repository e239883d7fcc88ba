import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { productVersion } from "#functions/api/miscellaneous/version";
import { openApiDocument } from "#functions/openapi/openapi";
import { documentedPath } from "#functions/openapi/openapi-route";
import { readSource, sourceFiles } from "#tests/structure/own-imports";
import { endpoints } from "#tests/support/endpoints";

const tests = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The operations that were looked at in each turn of the loop while the document was made. */
const turns = [new Set<string>()];
const noted = endpoints.map(
  (one) =>
    new Proxy(one, {
      get(target, name) {
        if (name !== "tag") turns.at(-1)?.add(target.id); // the list of tags is made first, of all
        return Reflect.get(target, name);
      },
    }),
);
let nextTurn = setImmediate(function begin() {
  turns.push(new Set());
  nextTurn = setImmediate(begin);
});
const document = await openApiDocument(noted, readConfig({}));
clearImmediate(nextTurn);

describe("the OpenAPI document (D-DOCUMENT)", () => {
  it("is valid OpenAPI 3.1 and states the interface's version (VER-2)", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone({ ...document }))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
    expect(document.info.version).toBe("1.1.1");
  });

  it("holds every operation under its documented path, clean of routing patterns", () => {
    for (const one of endpoints) {
      expect(document.paths[documentedPath(one)]?.[one.method]?.operationId).toBe(one.id);
      expect(one.path).toMatch(/^(\/([\w.-]+|\{\w+\}(\.\{\w+\})?))+\/?$/);
    }
  });
});

describe("schemas", () => {
  it("each have a name of their own: of two with one name the document would show the first", () => {
    const names = sourceFiles("functions").flatMap((file) =>
      [...readSource(file).matchAll(/\.openapi\(\s*"(\w+)"/g)].map(([, name]) => name),
    );
    expect(names.length).toBeGreaterThan(200);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

describe("making the document", () => {
  it("takes 16 operations in a turn of the loop at most: others run between them", () => {
    expect(Math.max(...turns.map((ids) => ids.size))).toBeLessThanOrEqual(16);
    expect(new Set(turns.flatMap((ids) => [...ids])).size).toBe(endpoints.length);
  });
});

describe("refusals", () => {
  it("that operations declare have a meaning in the document, each (ERR-today)", () => {
    const { responses } = document.components;
    const unknown = endpoints.flatMap(({ id, errors }) =>
      errors.filter((status) => responses[`error${status}`] === undefined).map((status) => `${id} ${status}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe("operations", () => {
  it("each have a test that carries their id", async () => {
    const texts: string[] = [];
    for (const entry of await readdir(tests, { recursive: true, withFileTypes: true })) {
      if (entry.name.endsWith(".test.ts"))
        texts.push(readFileSync(join(entry.parentPath, entry.name), "utf8"));
    }
    // Alone, or in a title that names several.
    const ids = /"(\w+(?:, \w+)*)"/g;
    const carried = new Set(
      texts.flatMap((text) => [...text.matchAll(ids)].flatMap(([, named = ""]) => named.split(", "))),
    );
    const missing = endpoints.filter(({ id }) => !carried.has(id));
    expect(missing.map((one) => one.id)).toEqual([]);
  });
});

describe("the product's version", () => {
  it("is the one of package.json", () => {
    const manifest = JSON.parse(readFileSync(join(tests, "..", "package.json"), "utf8")) as {
      version: string;
    };
    expect(productVersion).toBe(manifest.version);
  });
});
