import type { Config } from "#core/config";
import { defined } from "#core/defined";
import type { DocumentedOperation, DocumentedResponse, JsonSchema, OpenApiDocument } from "./openapi.ts";

/**
 * The interface document in the form of Swagger 2, which generators of the compatible family's clients read
 * (D-DOCUMENT). Things that this form can't say (null, alternatives) become `x-nullable` or stay open.
 */
export function swaggerDocument(document: OpenApiDocument, config: Config): object {
  const { host, pathname, protocol } = new URL(config.rootUrl);
  const { schemas, responses } = document.components;
  return {
    swagger: "2.0",
    info: document.info,
    host,
    basePath: `${pathname.replace(/\/$/, "")}/api/v1`,
    schemes: [protocol.replace(":", "")],
    consumes: ["application/json", "text/plain"],
    produces: ["application/json", "text/html"],
    paths: mapped(document.paths, (operations) => mapped(operations, operationOf)),
    definitions: mapped(schemas, schemaOf),
    responses: mapped(responses, responseOf),
    securityDefinitions: {
      BasicAuth: { type: "basic" },
      Token: {
        type: "apiKey",
        in: "header",
        name: "Authorization",
        description: "the word token, a space, and the access token",
      },
    },
    security: [{ BasicAuth: [] }, { Token: [] }],
  };
}

const mapped = <In, Out>(
  from: Readonly<Record<string, In>>,
  change: (value: In) => Out,
): Record<string, Out> =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]));

function operationOf(operation: DocumentedOperation): object {
  const { operationId, tags, summary, description, deprecated, requestBody } = operation;
  const { "x-original-name": originalName } = operation;
  const parameters: object[] = (operation.parameters ?? []).map(({ schema, ...parameter }) => ({
    ...parameter,
    ...schemaOf(schema),
    ...(schema.type === "array" ? { collectionFormat: "multi" } : {}),
  }));
  const bodyTypes = Object.keys(requestBody?.content ?? {});
  const [body] = Object.values(requestBody?.content ?? {});
  if (body !== undefined) {
    const required = requestBody?.required ?? false;
    parameters.push({ in: "body", name: "body", required, schema: schemaOf(body.schema) });
  }
  return {
    operationId,
    tags,
    summary,
    ...defined({ description, deprecated, "x-original-name": originalName }),
    ...(bodyTypes.length === 0 ? {} : { consumes: bodyTypes }),
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: mapped(operation.responses, responseOf),
  };
}

function responseOf({ $ref, description = "", content, headers }: DocumentedResponse): object {
  if ($ref !== undefined) return { $ref: placeOf($ref) };
  const [body] = Object.values(content ?? {});
  return {
    description,
    ...defined({
      schema: body && schemaOf(body.schema),
      headers: headers && mapped(headers, ({ schema }) => schemaOf(schema)),
    }),
  };
}

const placeOf = (reference: string): string =>
  reference.replace("#/components/schemas/", "#/definitions/").replace("#/components/", "#/");

/** Keywords that mean the same in both forms. */
const kept = [
  "format",
  "description",
  "enum",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "required",
];

function schemaOf(schema: JsonSchema): object {
  const { $ref, anyOf, allOf, properties, items, additionalProperties } = schema as {
    readonly [keyword: string]: unknown;
    readonly anyOf?: readonly JsonSchema[];
    readonly allOf?: readonly JsonSchema[];
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly items?: JsonSchema;
    readonly additionalProperties?: JsonSchema | boolean;
  };
  if (typeof $ref === "string") return { $ref: placeOf($ref) };
  const types = [schema.type].flat();
  const alternatives = (anyOf ?? []).filter((one) => one.type !== "null");
  const isNullable = types.includes("null") || alternatives.length < (anyOf ?? []).length;
  const type = types.find((one) => one !== "null" && one !== undefined);
  return {
    ...Object.fromEntries(kept.flatMap((name) => (name in schema ? [[name, schema[name]]] : []))),
    ...(schema.const === undefined ? {} : { enum: [schema.const] }),
    ...defined({ type, "x-nullable": isNullable || undefined }),
    ...(alternatives.length === 1 ? schemaOf(alternatives[0] as JsonSchema) : {}),
    ...defined({
      allOf: allOf?.map(schemaOf),
      properties: properties && mapped(properties, schemaOf),
      items: items && schemaOf(items),
      additionalProperties:
        typeof additionalProperties === "object" ? schemaOf(additionalProperties) : undefined,
    }),
  };
}
