import { getRefId } from "@asteasolutions/zod-to-openapi";
import { OpenAPIHono } from "@hono/zod-openapi";
import { giveWay } from "#core/concurrency/give-way";
import type { Config } from "#core/config";
import { z } from "#zod";
import type { Endpoint } from "../http/endpoint.ts";
import { routeOf } from "./openapi-route.ts";
import { registerRefusals } from "./refusals.ts";
import { registerSecurity } from "./security.ts";

/** The version of the interface, from the service document. */
const interfaceVersion = "1.1.1";

/** OpenAPI 3.1's `identifier` is newer than the types of the generator. */
const license: { readonly name: string; readonly identifier: string } = { name: "MIT", identifier: "MIT" };

/** Operations that the generator writes in one go. */
const mostAtOnce = 16;

/** The OpenAPI 3.1 document of these operations, made in pieces: others run between them. */
export async function openApiDocument(
  endpoints: readonly Endpoint[],
  config: Config,
): Promise<OpenApiDocument> {
  const document = pieceOf([], config);
  document.tags = [...new Set(endpoints.map((one) => one.tag))].map((name) => ({ name }));
  const { paths, components } = document;
  for (let at = 0; at < endpoints.length; at += mostAtOnce) {
    await giveWay();
    const piece = pieceOf(endpoints.slice(at, at + mostAtOnce), config);
    for (const [name, schema] of Object.entries(piece.components.schemas))
      components.schemas[name] ??= schema;
    for (const [path, operations] of Object.entries(piece.paths)) {
      paths[path] = { ...paths[path], ...operations };
    }
  }
  return document as unknown as OpenApiDocument;
}

interface Piece {
  tags: { readonly name: string }[];
  readonly paths: Record<string, object>;
  readonly components: { readonly schemas: Record<string, object> };
}

/** The document of some operations, with the schemas that they refer to. */
function pieceOf(endpoints: readonly Endpoint[], config: Config): Piece {
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  registerSecurity(registry, config);
  registerRefusals(registry);
  for (const schema of namedSchemas(endpoints)) registry.register(getRefId(schema) ?? "", schema);
  for (const one of endpoints) registry.registerPath(routeOf(one));
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Coldforge API",
      version: interfaceVersion,
      description:
        "A git forge with no server to keep. Compatible with the Forgejo and Gitea API. A form with the same fields works wherever a body is JSON.",
      license,
    },
    servers: [{ url: `${config.rootUrl}/api/v1` }],
    tags: [],
  });
  return withFormats(withNullableReferences(document)) as Piece;
}

/** The parts of a document that this code and tests walk over. */
export interface OpenApiDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
}
export type JsonSchema = Readonly<Record<string, unknown>>;
type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;
export interface DocumentedResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, { readonly schema: JsonSchema; readonly required?: boolean }>>;
}
export interface DocumentedOperation {
  readonly operationId: string;
  readonly "x-original-name"?: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

/**
 * Every schema with a name of its own, without the wrappers around it, after its parts: otherwise the generator would
 * write the form in which it meets each first, such as the nullable one.
 */
function namedSchemas(endpoints: readonly Endpoint[]): ReadonlySet<z.ZodType> {
  const seen = new Set<unknown>();
  const named = new Set<z.ZodType>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    const isSchema = value instanceof z.ZodType;
    for (const inner of Object.values(isSchema ? value.def : value)) visit(inner);
    if (isSchema && !("innerType" in value.def) && getRefId(value) !== undefined) named.add(value);
  };
  for (const { body, returns, query } of endpoints) visit([body, returns, query]);
  return named;
}

/**
 * A nullable reference is written as "this or null": the generated form asks for both at once, which nothing satisfies.
 */
function withNullableReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withNullableReferences);
  if (typeof node !== "object" || node === null) return node;
  const [reference, beside, ...others] = (node as { allOf?: JsonSchema[] }).allOf ?? [];
  const isNullable =
    reference?.$ref !== undefined && [beside?.type].flat().includes("null") && others.length === 0;
  if (!isNullable) {
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, withNullableReferences(value)]),
    );
  }
  const { type: _type, ...rest } = beside ?? {};
  return { ...rest, anyOf: [{ $ref: reference.$ref }, { type: "null" }] };
}

/** Numbers are counted in 64 bits, as ids are, but for those of pages. */
function withFormats(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withFormats);
  if (typeof node !== "object" || node === null) return node;
  const { type, format, name, in: place } = node as Readonly<Record<string, unknown>>;
  if (place === "query" && (name === "page" || name === "limit")) return node;
  const entries = Object.entries(node).map(([key, value]) => [key, withFormats(value)]);
  const isWhole = [type].flat().includes("integer") && format === undefined;
  return { ...Object.fromEntries(entries), ...(isWhole ? { format: "int64" } : {}) };
}
