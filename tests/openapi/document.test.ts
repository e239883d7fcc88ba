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
import { endpoints } from "#tests/support/endpoints";
import { validateElsewhere } from "./validate-elsewhere.ts";

const tests = join(dirname(fileURLToPath(import.meta.url)), "..");

const document = await openApiDocument(endpoints, readConfig({}));

describe("the OpenAPI document (D-DOCUMENT)", () => {
  it("is valid OpenAPI 3.1 and states the interface's version (VER-2)", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone({ ...document }))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
    await validateElsewhere({ ...document });
    expect(document.info.version).toBe("1.1.1");
  });

  it("holds every operation under its documented path, clean of routing patterns", () => {
    for (const one of endpoints) {
      expect(document.paths[documentedPath(one)]?.[one.method]?.operationId).toBe(one.id);
      expect(one.path).toMatch(/^(\/([\w.-]+|\{\w+\}(\.\{\w+\})?))+\/?$/);
    }
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
