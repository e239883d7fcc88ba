import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { openApiDocument } from "#functions/openapi/openapi";
import { swaggerDocument } from "#functions/openapi/swagger";
import { familyOperations, familySchemas, placeOf } from "#tests/support/contract/family";
import { endpoints } from "#tests/support/endpoints";
import { compared, comparedFields, formOf, type Operation, type Schema } from "./compare-with-family.ts";
import { differences } from "./family-differences.ts";

/** `tests/api/differences.test.ts` holds what they answer. */
const withNothingToGive = / \/activitypub\//;

interface Swagger {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

const config = readConfig({});
const swagger = swaggerDocument(await openApiDocument(endpoints, config), config) as Swagger;
const served = new Map(
  Object.entries(swagger.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, one]) => [placeOf(`${method.toUpperCase()} ${path}`), one] as const,
    ),
  ),
);
const shared = familyOperations.flatMap((theirs) => {
  const ours = served.get(placeOf(theirs.operation));
  return ours === undefined ? [] : [{ theirs, ours }];
});
const page = readFileSync(new URL("../../docs/differences.md", import.meta.url), "utf8");

describe("the operations of the family (issue 24)", () => {
  it("are served, each, or stand on the list of those that have nothing to give", () => {
    const missing = familyOperations.filter(({ operation }) => !served.has(placeOf(operation)));
    const unexplained = missing
      .map(({ operation }) => operation)
      .filter((operation) => !withNothingToGive.test(operation));
    expect(unexplained).toEqual([]);
    expect(familyOperations).toHaveLength(560);
    expect(page).toContain("`/activitypub/…` (11) | 404 |");
    expect(missing.filter(({ operation }) => withNothingToGive.test(operation))).toHaveLength(11);
  });
});

describe("the Swagger 2 form (D-DOCUMENT)", () => {
  it("has the family's names, parameters, bodies and answers for each shared operation, but the listed", () => {
    expect(shared.flatMap(({ theirs, ours }) => compared(theirs, ours)).sort()).toEqual(listed("operations"));
  });

  it("has the family's schemas with the same fields, but the listed", () => {
    const found = familySchemas.flatMap(({ name, fields, type }) => {
      const ours = swagger.definitions[name];
      if (ours === undefined) return [`${name}: not here`];
      if (fields !== undefined) return comparedFields(name, fields, ours);
      const form = formOf(ours);
      return type === form ? [] : [`${name}: ${type}, here ${form}`];
    });
    expect(found.sort()).toEqual(listed("schemas"));
  });

  it("differs for reasons that docs/differences.md gives, each", () => {
    const reasons = Object.values(differences).flatMap((part) => Object.keys(part));
    expect(reasons.filter((reason) => !page.includes(`| ${reason} |`))).toEqual([]);
  });
});

const listed = (part: keyof typeof differences): string[] => Object.values(differences[part]).flat().sort();
