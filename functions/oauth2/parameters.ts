import { OAuth2Refusal } from "#core/oauth2-grant/refusal";
import { formType } from "../http/body/form-body.ts";
import { mediaTypeOf } from "../http/body/json-body.ts";
import type { RequestBody } from "../http/body/request-body.ts";

/** The parameters of a request: each at most once (RFC 6749, section 3.1). */
export interface Parameters {
  /** Empty when it was not sent. */
  text(name: string): string;
  /** Undefined when it was not sent, or sent empty. */
  optional(name: string): string | undefined;
  /** The names that came more than once. */
  readonly repeated: ReadonlySet<string>;
}

/** Long enough for every token and for what programs keep in `state`; answers repeat it in a header. */
const longestValue = 4_096;
/** Names the groups of a user, too. */
const longestIdToken = 8_192;
const mostBytes = 64 * 1024;
const mostParameters = 100;

const invalidRequest = (message: string): OAuth2Refusal => new OAuth2Refusal("invalid_request", message);

/** Reads parameters. Throws OAuth2Refusal `invalid_request` for too many, and for a value that is too long. */
export function parametersOf(pairs: Iterable<readonly [name: string, value: string]>): Parameters {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  let count = 0;
  for (const [name, value] of pairs) {
    count += 1;
    if (count > mostParameters) throw invalidRequest(`a request has at most ${mostParameters} parameters`);
    const longest = name === "id_token_hint" ? longestIdToken : longestValue;
    if (value.length > longest) {
      throw invalidRequest(`${name.slice(0, 40)} may have at most ${longest} characters`);
    }
    if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return {
    text: (name) => values.get(name) ?? "",
    optional: (name) => values.get(name) || undefined,
    repeated,
  };
}

/** Refuses a request that has a parameter twice: nobody could tell which one counts. */
export function requireSingle({ repeated }: Parameters): void {
  const [name] = repeated;
  if (name !== undefined) throw invalidRequest(`${name.slice(0, 40)} was sent more than once`);
}

/** The parameters of a body, which is a form or JSON. Throws OAuth2Refusal `invalid_request`. */
export async function bodyParameters(request: Request, body: RequestBody): Promise<Parameters> {
  const type = mediaTypeOf(request);
  const bytes = await body.bytes(mostBytes);
  if (type === "application/json") return parametersOf(jsonPairs(bytes.toString("utf8")));
  if (type !== formType && bytes.length > 0) {
    throw invalidRequest(`the body has to be ${formType} or application/json`);
  }
  return parametersOf(new URLSearchParams(bytes.toString("utf8")));
}

function jsonPairs(text: string): [string, string][] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest("the body is no JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidRequest("the body is no object");
  }
  return Object.entries(value).map(([name, member]) => {
    if (typeof member === "string") return [name, member];
    throw invalidRequest(`${name.slice(0, 40)} has to be a text`);
  });
}
