import { escapeHtml } from "#core/escape-html";
import type { JsonSchema, OpenApiDocument } from "../openapi.ts";

const namedBy = ({ $ref }: JsonSchema): string | undefined =>
  typeof $ref === "string" ? $ref.replace("#/components/schemas/", "") : undefined;

const anyOf = (schema: JsonSchema): readonly JsonSchema[] =>
  ((schema.anyOf ?? schema.allOf ?? schema.oneOf) as JsonSchema[] | undefined) ?? [];

/** What kind of value a schema asks for, in HTML; what has a name leads to its fields. */
export function typeWords(schema: JsonSchema): string {
  const name = namedBy(schema);
  if (name !== undefined) return `<a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a>`;
  const alternatives = anyOf(schema);
  if (alternatives.length > 0) return alternatives.map(typeWords).join(" or ");
  if (schema.items !== undefined) return `list of ${typeWords(schema.items as JsonSchema)}`;
  if (Array.isArray(schema.enum)) return escapeHtml(schema.enum.map(String).join(" | "));
  const type = [schema.type ?? "any"].flat().join(" or ");
  return escapeHtml(schema.format === undefined ? type : `${type}, ${String(schema.format)}`);
}

/** The fields of an object, a line each. */
export function fieldList({ properties = {}, required = [] }: JsonSchema): string {
  const needed = new Set(required as string[]);
  const rows = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => {
    const description = schema.description === undefined ? "" : `: ${escapeHtml(String(schema.description))}`;
    const need = needed.has(name) ? ", required" : "";
    return `<li><code>${escapeHtml(name)}</code> <i>${typeWords(schema)}${need}</i>${description}`;
  });
  return rows.length === 0 ? "" : `<ul>${rows.join("")}</ul>`;
}

/** Every schema that has a name, with its fields. */
export const namedSchemas = ({ components }: OpenApiDocument): string =>
  Object.entries(components.schemas)
    .map(([name, schema]) => {
      const fields = fieldList(schema);
      return `<details id="schema-${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>${fields === "" ? `<p>${typeWords(schema)}` : fields}</details>`;
    })
    .join("\n");

/** The schema itself, where a reference leads to it. */
export function resolved({ components }: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const name = namedBy(schema);
  return name === undefined ? schema : (components.schemas[name] ?? {});
}

/** A body to begin with: the fields that it must have, or an empty object. */
export function exampleBody(document: OpenApiDocument, schema: JsonSchema): unknown {
  const whole = resolved(document, schema);
  if (Array.isArray(whole.enum)) return whole.enum[0];
  const [type] = [whole.type].flat();
  if (type === "array") return [];
  if (type === "string") return "";
  if (type === "integer" || type === "number") return 0;
  if (type === "boolean") return false;
  const properties = (whole.properties ?? {}) as Record<string, JsonSchema>;
  const names = (whole.required as string[] | undefined) ?? [];
  return Object.fromEntries(names.map((name) => [name, exampleBody(document, properties[name] ?? {})]));
}
