import type { CallersCompute } from "#core/compute/compute";
import { giveWay } from "#core/concurrency/give-way";
import { invalid } from "#core/errors";
import { formType, isForm, parseForm } from "./body/form-body.ts";
import {
  defaultBodyBytes,
  parseJson,
  requireMediaType,
  requireNoEncoding,
  validate,
} from "./body/json-body.ts";
import type { RequestBody } from "./body/request-body.ts";
import type { Endpoint } from "./endpoint.ts";
import { readQuery } from "./query.ts";

/** Media types of text that is read as it is, and those that curl and others send for want of a better one. */
const textTypes = ["text/plain", "text/markdown", "text/x-markdown", formType];

/** To parse and check a larger body takes so long that others run before and after each. */
const largeBytes = 2 ** 16;

/** The query and the body of a request, checked against its endpoint. */
export async function readInputs(body: RequestBody, url: URL, endpoint: Endpoint, compute: CallersCompute) {
  const query = readQuery(endpoint.query, url.searchParams);
  return { query, body: await readBody(body, url, endpoint, compute) };
}

/** A DELETE without a body may have its fields in the query: some clients have no other way. */
async function readBody(
  given: RequestBody,
  url: URL,
  endpoint: Endpoint,
  compute: CallersCompute,
): Promise<unknown> {
  const {
    body: schema,
    bodyType: type = "application/json",
    bodyBytes = defaultBodyBytes,
    withoutBody,
  } = endpoint;
  if (schema === undefined) return undefined;
  const { request } = given;
  requireNoEncoding(request);
  const bytes = await given.bytes(bodyBytes);
  if (bytes.length === 0 && typeof withoutBody === "object") return validate(schema, withoutBody);
  if (request.method === "DELETE" && bytes.length === 0) {
    return validate(schema, await parseForm(Buffer.from(url.search.slice(1)), formType, schema, compute));
  }
  if (type === "application/json" && isForm(request, bytes)) {
    return validate(
      schema,
      await parseForm(bytes, request.headers.get("content-type") ?? "", schema, compute),
    );
  }
  if (withoutBody === "refused" && bytes.length === 0) throw invalid("", "a body is required");
  if (bytes.length > 0) requireMediaType(request, type === "text/plain" ? textTypes : [type]);
  if (type === "text/plain") return validate(schema, bytes.toString("utf8"));
  if (bytes.length <= largeBytes) return validate(schema, await parseJson(bytes, bodyBytes, compute));
  await giveWay();
  const value = await parseJson(bytes, bodyBytes, compute);
  await giveWay();
  const read = validate(schema, value);
  await giveWay();
  return read;
}
