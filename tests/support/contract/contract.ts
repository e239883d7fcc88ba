import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { readConfig } from "#core/config";
import { lazyFor } from "#core/lazy";
import type { Endpoint } from "#functions/http/endpoint";
import { type DocumentedResponse, type JsonSchema, openApiDocument } from "#functions/openapi/openapi";
import { documentedPath } from "#functions/openapi/openapi-route";
import { endpoints } from "#tests/support/endpoints";
import { onFileFinished } from "#tests/support/suite/file-end";

/** The interface document, as every reader gets it: what is checked against is what is promised. */
const document = await openApiDocument(endpoints, readConfig({}));
const schemas = Object.fromEntries(
  Object.entries(document.components.schemas).map(([name, schema]) => [name, closed(schema)]),
);

// Schemas are compiled for a few answers each: what optimizes the code, or writes a part of the document out wherever it
// is named, costs more than it gains.
const ajv = new Ajv2020({ strict: false, allErrors: false, code: { optimize: false }, inlineRefs: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema({ $id: "document", components: { schemas } });

/** Validators by their schema's text: most operations share the schemas of their answers. */
const validators = new Map<string, ValidateFunction>();
const validatorOf = lazyFor((schema: JsonSchema): ValidateFunction => {
  const text = JSON.stringify(schema);
  const validator = validators.get(text) ?? ajv.compile(closed(schema) as JsonSchema);
  validators.set(text, validator);
  return validator;
});

/**
 * Throws when an answer breaks a promise of the interface document: an undeclared status, a body of another shape or
 * with undeclared members, a missing header. Every answer of every API test goes through here. The file of a broken one
 * fails, whatever becomes of the error.
 */
export async function checkContract(endpoint: Endpoint, response: Response): Promise<void> {
  const { id, method } = endpoint;
  const complain = (what: string) => {
    const broken = new Error(`${id} broke its contract: ${what}`);
    // Whoever expects a failure, or the one of several answers, may not look at this error.
    onFileFinished(() => {
      throw broken;
    });
    throw broken;
  };
  const text = await response.text();
  if (response.status === 304) return;
  const declared = resolved(
    document.paths[documentedPath(endpoint)]?.[method]?.responses[String(response.status)],
  );
  if (declared === undefined) return complain(`undeclared status ${response.status}: ${text}`);
  for (const [name, { required }] of Object.entries(declared.headers ?? {})) {
    if (required === true && !response.headers.has(name)) complain(`${response.status} without ${name}`);
  }
  const sent = response.headers.get("content-type") ?? "";
  const contents = Object.entries(declared.content ?? {});
  const [type, content] = contents.find(([one]) => sent.startsWith(one)) ?? contents[0] ?? [];
  if (type === "*/*") return;
  if (text === "") {
    // A text may be empty, a JSON value can't.
    const isJson = type === "application/json";
    const isBodyPromised =
      isJson && content !== undefined && !(declared.description ?? "").includes("without a body");
    return isBodyPromised ? complain(`${response.status} without a body`) : undefined;
  }
  if (type === undefined || content === undefined) return complain("it declares no body and sent one");
  if (!sent.startsWith(type)) complain(`the body is not ${type}`);
  if (type !== "application/json") return;
  const isAsDeclared = validatorOf(content.schema);
  if (isAsDeclared(JSON.parse(text))) return;
  complain(`${ajv.errorsText(isAsDeclared.errors)} in ${text.slice(0, 2000)}`);
}

function resolved(response: DocumentedResponse | undefined): DocumentedResponse | undefined {
  const name = response?.$ref?.split("/").at(-1);
  return name === undefined ? response : document.components.responses[name];
}

/** The schema with references into the registered document; members that it lacks count as mistakes. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    key === "$ref" ? `document${value}` : closed(value),
  ]);
  const isOpen = !("properties" in node) || "additionalProperties" in node;
  return { ...Object.fromEntries(entries), ...(isOpen ? {} : { additionalProperties: false }) };
}
