import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { openApiDocument } from "#functions/openapi/openapi";
import { swaggerDocument } from "#functions/openapi/swagger";
import { endpoints } from "#tests/support/endpoints";
import { type FamilyOperation, familyOperations, familySchemas, placeOf } from "#tests/support/family";
import { differences } from "./family-differences.ts";

/** `tests/api/differences.test.ts` holds what they answer. */
const withNothingToGive = / \/activitypub\//;

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}
interface Parameter extends Omit<Schema, "required"> {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}
type Form = Omit<Schema, "required">;
interface Operation {
  readonly operationId: string;
  readonly "x-original-name"?: string;
  readonly parameters?: readonly Parameter[];
  readonly produces?: readonly string[];
  readonly responses: Readonly<Record<string, { readonly schema?: Schema }>>;
}
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

describe("the operations of the family (issue 24)", () => {
  it("are served, each, or stand on the list of those that have nothing to give", () => {
    const missing = familyOperations.filter(({ operation }) => !served.has(placeOf(operation)));
    const unexplained = missing
      .map(({ operation }) => operation)
      .filter((operation) => !withNothingToGive.test(operation));
    expect(unexplained).toEqual([]);
    expect(familyOperations).toHaveLength(560);
    const page = readFileSync(new URL("../../docs/differences.md", import.meta.url), "utf8");
    expect(page).toContain("`/activitypub/…` (11) | 404 |");
    expect(missing.filter(({ operation }) => withNothingToGive.test(operation))).toHaveLength(11);
  });
});

describe("the Swagger 2 form (D-DOCUMENT)", () => {
  it("has the family's names, parameters, bodies and answers for each shared operation, but the listed", () => {
    expect(shared.flatMap(({ theirs, ours }) => compared(theirs, ours)).sort()).toEqual(listed("operations"));
  });

  it("has the family's fields in each schema that shared operations take or give, but the listed", () => {
    const found = familySchemas.flatMap(({ name, fields, type }) => {
      const ours = swagger.definitions[name];
      if (ours === undefined) return [];
      if (fields !== undefined) return comparedFields(name, fields, ours);
      const form = formOf(ours);
      return type === form ? [] : [`${name}: ${type}, here ${form}`];
    });
    expect(found.sort()).toEqual(listed("schemas"));
  });
});

const listed = (part: keyof typeof differences): string[] => Object.values(differences[part]).flat().sort();

/** What differs in an operation, a line each. */
function compared(theirs: FamilyOperation, ours: Operation): string[] {
  const { id } = theirs;
  const name = [ours.operationId, ours["x-original-name"]].includes(id)
    ? []
    : [`${id}: here ${ours.operationId}`];
  const [body] = (ours.parameters ?? []).filter((one) => one.in === "body");
  const bodyForm = body?.schema && formOf(body.schema);
  const ofBody = bodyForm === theirs.body ? [] : [`${id} body: ${theirs.body}, here ${bodyForm}`];
  const answers = Object.entries(theirs.answers).flatMap(([status, form]) => {
    const answer = ours.responses[status];
    if (answer === undefined) return [`${id} ${status}: not here`];
    const here = answer.schema === undefined ? "empty" : formOf(answer.schema);
    return isAlike(form, here) ? [] : [`${id} ${status}: ${form}, here ${here}`];
  });
  const types = theirs.produces ?? ["application/json"];
  const given = ours.produces ?? ["application/json"];
  const isGiven = given.some((type) => types.includes(type));
  return [
    ...name,
    ...parametersOf(theirs, ours),
    ...ofBody,
    ...answers,
    ...(isGiven || isFileIn(theirs) ? [] : [`${id} produces: ${types}, here ${given}`]),
  ];
}

/** The family names no media type for some files. */
const isFileIn = ({ answers }: FamilyOperation): boolean =>
  Object.values(answers).some((form) => ["file", "string", "empty", "any"].includes(form));

/** The family's parameters are all there; others may be left out. */
function parametersOf(theirs: FamilyOperation, { parameters = [] }: Operation): string[] {
  const { id } = theirs;
  const places = ["path", "query", "formData"] as const;
  const declared = places.flatMap((place) =>
    Object.entries(theirs[place] ?? {}).map(([name, form]) => ({ place, name, form })),
  );
  const known = new Set(declared.map(({ place, name }) => `${place} ${name}`));
  const demanded = parameters.filter(
    (one) => one.in !== "body" && one.required === true && !known.has(`${one.in} ${one.name}`),
  );
  return [
    ...declared.flatMap(({ place, name, form }) => {
      const here = parameters.find((one) => one.in === place && one.name === name);
      if (here === undefined) return [`${id} ${place} ${name}: not here`];
      const [, type = "", must, standard] = /^([^!=]*)(!?)(?:=(.*))?$/.exec(form) ?? [];
      const ours = formOf(here);
      const isMust = must === "!" || place === "path";
      return [
        ...(isAlike(type, ours) ? [] : [`${id} ${place} ${name}: ${type}, here ${ours}`]),
        ...(isMust || here.required !== true ? [] : [`${id} ${place} ${name}: optional`]),
        ...(standard === undefined || standard === JSON.stringify(here.default)
          ? []
          : [`${id} ${place} ${name}: ${standard} when absent`]),
      ];
    }),
    ...demanded.map((one) => `${id} ${one.in} ${one.name}: only here`),
  ];
}

/** Fields that only one of the family's two has may be missing; there may be more here. */
function comparedFields(name: string, fields: Readonly<Record<string, string>>, ours: Schema): string[] {
  const here = ours.properties ?? {};
  return Object.entries(fields).flatMap(([field, form]) => {
    const own = here[field];
    if (own === undefined) return form.endsWith("?") ? [] : [`${name}.${field}: not here`];
    const [, type = "", words, must] = /^([^ !?]*)(?: ([^!?]*))?([!?]*)$/.exec(form) ?? [];
    const isDemanded = (ours.required ?? []).includes(field);
    return [
      ...(isAlike(type, formOf(own)) ? [] : [`${name}.${field}: ${type}, here ${formOf(own)}`]),
      ...(isDemanded && must !== "!" ? [`${name}.${field}: optional`] : []),
      ...((words === undefined) === (own.enum === undefined)
        ? []
        : [`${name}.${field}: ${words ?? "any text"}`]),
    ];
  });
}

/** The form of a schema in the words of the family's list. */
function formOf(schema: Form): string {
  const { $ref, type, format, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return $ref.replace("#/definitions/", "");
  if (type === "array") return `${items === undefined ? "any" : formOf(items)}[]`;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, field]) => `${name}:${formOf(field)}`);
    return `object{${fields.sort().join(",")}}`;
  }
  if (additionalProperties !== undefined) return `map<${formOf(additionalProperties)}>`;
  if (type === undefined) return "any";
  return format === undefined ? type : `${type}:${format}`;
}

/** The family leaves out some formats of whole numbers, and tells no more of a map than that it is an object. */
function isAlike(theirs: string, ours: string): boolean {
  const withFormat = [
    theirs.replace("integer|number", "integer:int64"),
    theirs.replace(/^integer$/, "integer:int64"),
  ];
  return [theirs, ...withFormat].includes(ours) || (theirs === "object" && /^(map<|object\{)/.test(ours));
}
