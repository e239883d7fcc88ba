import { defined } from "#core/defined";
import {
  anyText,
  demandedInBodies,
  fixedWords,
  formatOf,
  namedFields,
  optionalInBodies,
  textWords,
} from "./family-form.ts";
import type { JsonSchema, OpenApiDocument } from "./openapi.ts";

/** The place of a part of the document in Swagger 2. */
export const placeOf = (reference: string): string =>
  reference.replace("#/components/schemas/", "#/definitions/").replace("#/components/", "#/");

/** Keywords that mean the same in both forms. */
const kept = [
  "format",
  "description",
  "default",
  "enum",
  "pattern",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "required",
];

interface Schema {
  readonly [keyword: string]: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
}

/** A schema in Swagger 2, which knows no null: of alternatives it has the first. */
export function schemaOf(schema: JsonSchema): Record<string, unknown> {
  const { $ref, anyOf = [], allOf, properties, items, additionalProperties } = schema as Schema;
  if (typeof $ref === "string") return { $ref: placeOf($ref) };
  const [first, ...others] = anyOf.filter((one) => one.type !== "null");
  if (first !== undefined) {
    if (typeof first.$ref === "string") return schemaOf(first);
    const isOpen = others.length > 0 && isPlain(first);
    return { ...defined({ description: schema.description }), ...(isOpen ? {} : schemaOf(first)) };
  }
  const [wrapped, ...beside] = allOf ?? [];
  if (wrapped?.$ref !== undefined && beside.every(({ properties: more }) => more === undefined)) {
    return schemaOf(wrapped);
  }
  const type = [schema.type].flat().find((one) => one !== "null" && one !== undefined);
  return {
    ...Object.fromEntries(kept.flatMap((name) => (name in schema ? [[name, schema[name]]] : []))),
    ...(schema.const === undefined ? {} : { enum: [schema.const] }),
    ...defined({
      type,
      allOf: allOf?.map(schemaOf),
      properties: properties && mapped(properties, schemaOf),
      items: items && schemaOf(items),
      additionalProperties:
        typeof additionalProperties === "object" ? schemaOf(additionalProperties) : undefined,
    }),
  };
}

/** Alternatives of plain values, such as an id or a name, are open to any. */
const isPlain = ({ type }: JsonSchema): boolean => type === "integer" || type === "string";

const mapped = <In, Out>(from: Readonly<Record<string, In>>, change: (value: In) => Out) =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]));

const refTo = (name: string) => ({ $ref: `#/definitions/${name}` });

/** A named schema as the family declares it: what an answer always holds isn't required there. */
export function definitionOf(name: string, schema: JsonSchema, isOfBody: boolean): object {
  const { required, enum: _words, ...form } = schemaOf(schema);
  const properties = form.properties as Readonly<Record<string, Record<string, unknown>>> | undefined;
  const demanded = isOfBody ? ((required ?? []) as readonly string[]) : [];
  const needed = [
    ...demanded.filter((field) => !optionalInBodies.has(`${name}.${field}`)),
    ...Object.keys(properties ?? {}).filter((field) => demandedInBodies.has(`${name}.${field}`)),
  ];
  return {
    ...form,
    ...(needed.length > 0 ? { required: needed } : {}),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([field, value]) => [field, fieldOf(name, field, value)]),
      ),
    }),
  };
}

function fieldOf(name: string, field: string, value: Record<string, unknown>): object {
  const place = `${name}.${field}`;
  const named = namedFields[place];
  if (named !== undefined) return value.type === "array" ? { ...value, items: refTo(named) } : refTo(named);
  if (anyText.has(place)) return { ...value, format: undefined };
  const form = value.type === "object" ? definitionOf(place, value, false) : value;
  const withFormat = { ...form, ...formatOf(place) };
  if (fixedWords.has(place)) return { ...withFormat, enum: withoutEmpty(value.enum) ?? textWords[place] };
  const { enum: words, ...free } = withFormat as Record<string, unknown>;
  const isList = value.type === "array";
  const items = isList ? { items: { ...(value.items as object), enum: undefined } } : {};
  const listed = Array.isArray(words) ? { description: describedBy(words, value.description) } : {};
  return defined({ ...free, ...listed, ...items });
}

const withoutEmpty = (words: unknown): unknown =>
  Array.isArray(words) ? words.filter((word) => word !== "") : undefined;

/** The words of a value, told where the family's form is free text. */
const describedBy = (words: readonly unknown[], description: unknown): string =>
  [
    ...(typeof description === "string" ? [description] : []),
    `one of ${words.filter(Boolean).join(", ")}`,
  ].join(": ");

/** The names of the schemas that bodies of requests are made of. */
export function bodySchemas({ paths, components }: OpenApiDocument): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { $ref } = node as { readonly $ref?: unknown };
    if (typeof $ref !== "string") {
      for (const inner of Object.values(node)) visit(inner);
      return;
    }
    const name = $ref.split("/").at(-1) ?? "";
    if (found.has(name)) return;
    found.add(name);
    visit(components.schemas[name]);
  };
  for (const operations of Object.values(paths)) {
    for (const { requestBody } of Object.values(operations)) visit(requestBody);
  }
  return found;
}
