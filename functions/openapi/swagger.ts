import type { Config } from "#core/config";
import { defined } from "#core/defined";
import { withoutQuery } from "./family-form.ts";
import type { DocumentedOperation, DocumentedResponse, OpenApiDocument } from "./openapi.ts";
import { security } from "./security.ts";
import { bodyParametersOf, parameterOf } from "./swagger-parameters.ts";
import { bodySchemas, definitionOf, placeOf, schemaOf } from "./swagger-schema.ts";

/**
 * The interface document in the form of Swagger 2, which generators of the compatible family's clients read
 * (D-DOCUMENT). It declares what the family declares, so that code written for clients of the family compiles with one
 * made of it; what this form or the family doesn't say (null, alternatives, fixed words), only OpenAPI 3.1 does.
 */
export function swaggerDocument(document: OpenApiDocument, config: Config): object {
  const { host, pathname, protocol } = new URL(config.rootUrl);
  const { schemas, responses, securitySchemes } = document.components;
  const ofBodies = bodySchemas(document);
  const { license, ...info } = document.info;
  return {
    swagger: "2.0",
    info: {
      ...info,
      license: { name: license.name, url: `https://spdx.org/licenses/${license.identifier}.html` },
    },
    host,
    basePath: `${pathname.replace(/\/$/, "")}/api/v1`,
    schemes: [protocol.replace(":", "")],
    consumes: ["application/json", "text/plain"],
    produces: ["application/json"],
    tags: document.tags,
    paths: mappedBy(document.paths, (path, operations) =>
      mappedBy(operations, (method, operation) => operationOf(operation, `${method} ${path}`)),
    ),
    definitions: mappedBy(schemas, (name, schema) => definitionOf(name, schema, ofBodies.has(name))),
    responses: mapped(responses, responseOf),
    securityDefinitions: mapped(securitySchemes, ({ type, scheme, ...others }) =>
      scheme === "basic" ? { type: "basic" } : { type, ...others },
    ),
    security,
  };
}

const mappedBy = <In, Out>(
  from: Readonly<Record<string, In>>,
  change: (name: string, value: In) => Out,
): Record<string, Out> =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(name, value)]));

const mapped = <In, Out>(from: Readonly<Record<string, In>>, change: (value: In) => Out) =>
  mappedBy(from, (_name, value) => change(value));

function operationOf(operation: DocumentedOperation, route: string): object {
  const { operationId, tags, summary, description, deprecated, requestBody } = operation;
  const { "x-original-name": originalName } = operation;
  const bodyTypes = Object.keys(requestBody?.content ?? {});
  const declared = operation.parameters ?? [];
  const kept = withoutQuery.has(operationId) ? declared.filter((one) => one.in !== "query") : declared;
  const given = kept.map((one) => parameterOf(one, route));
  const parameters = [...given, ...(requestBody === undefined ? [] : bodyParametersOf(requestBody))];
  return {
    operationId,
    tags,
    summary,
    ...defined({ description, deprecated, "x-original-name": originalName }),
    ...(bodyTypes.length === 0 ? {} : { consumes: bodyTypes }),
    ...defined({ produces: producedBy(operation) }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(takesTokens(operation) ? {} : { security: operation.security }),
    responses: mapped(operation.responses, responseOf),
  };
}

const takesTokens = ({ security: choices = [] }: DocumentedOperation): boolean =>
  choices.some((choice) => "AuthorizationHeaderToken" in choice);

/** The media types of a success; undefined when it is JSON, or nothing. */
function producedBy({ responses }: DocumentedOperation): readonly string[] | undefined {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const types = new Set(successes.flatMap(([, { content }]) => Object.keys(content ?? {})));
  if (types.has("application/json") || types.size === 0) return undefined;
  return [...types].map((type) => (type === "*/*" ? "application/octet-stream" : type));
}

function responseOf({ $ref, description = "", content, headers }: DocumentedResponse): object {
  if ($ref !== undefined) return { $ref: placeOf($ref) };
  const [body] = Object.values(content ?? {});
  const isFile = body?.schema.format === "binary";
  return {
    description,
    ...defined({
      schema: isFile ? { type: "file" } : body && schemaOf(body.schema),
      headers: headers && mapped(headers, ({ schema }) => schemaOf(schema)),
    }),
  };
}
