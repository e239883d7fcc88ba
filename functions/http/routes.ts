import { TrieRouter } from "hono/router/trie-router";
import type { Endpoint } from "./endpoint.ts";
import { diffTypes, isNumber } from "./params.ts";

/** The target of a request. */
export type Match =
  | {
      readonly kind: "endpoint";
      readonly endpoint: Endpoint;
      readonly params: Readonly<Record<string, string | number>>;
    }
  | { readonly kind: "wrong-method"; readonly allowed: readonly string[] }
  | { readonly kind: "malformed" }
  | { readonly kind: "unknown" };
export type MatchedEndpoint = Extract<Match, { kind: "endpoint" }>;

/**
 * Finds the operation of a path: raw (still percent-encoded), relative to the API's base; a trailing slash is
 * tolerated.
 */
export interface Routes {
  match(method: string, path: string): Match;
}

/**
 * Builds the routing table. The documented paths stay clean; a parameter that may hold slashes matches across
 * segments (D-RAWPATH), and names are decoded only after matching, so `a/b` and `a%2Fb` are the same.
 */
export function createRoutes(endpoints: readonly Endpoint[]): Routes {
  const router = new TrieRouter<Endpoint>();
  const inOrder = [...endpoints].sort(bySpecificity);
  for (const one of inOrder) {
    if (one.scoped !== undefined) router.add(one.method.toUpperCase(), scopedPath(one, one.scoped), one);
  }
  for (const one of inOrder) {
    router.add(one.method.toUpperCase(), routingPath(one), one);
    if (one.isSlashedOptional === true) {
      const path = one.path.replace(`/{${one.slashed}}`, "");
      router.add(one.method.toUpperCase(), routingPath({ ...one, path }), one);
    }
  }
  const methods = [...new Set(endpoints.map((one) => one.method.toUpperCase()))];
  const find = (method: string, path: string) => router.match(method, path)[0][0];
  return {
    match(method, rawPath) {
      const path = withoutTrailingSlashes(rawPath);
      const found = find(method === "HEAD" ? "GET" : method, path);
      if (found !== undefined) {
        const [endpoint, named] = found as [Endpoint, Record<string, string>];
        const params =
          endpoint.isSlashedOptional === true
            ? { [endpoint.slashed ?? ""]: "", ...named }
            : withScope(endpoint, named);
        const decoded = decodeParams(withDiffType(endpoint, params));
        if (decoded === undefined) return { kind: "malformed" };
        const { asSent } = endpoint;
        return typed(
          endpoint,
          asSent === undefined ? decoded : { ...decoded, [asSent]: params[asSent] ?? "" },
        );
      }
      const allowed = methods
        .filter((one) => find(one, path) !== undefined)
        .flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : one));
      return allowed.length > 0 ? { kind: "wrong-method", allowed } : { kind: "unknown" };
    },
  };
}

/** By hand: a pattern would try anew from each slash of a path with thousands of them. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** A documented path as the router writes it. */
export function routingPath(one: Pick<Endpoint, "path" | "slashed">): string {
  return one.path
    .replace(/\/$/, "")
    .replace(/\{(\w+)\}\.\{diffType\}/, `:$1{[^/]+\\.(?:${diffTypes.join("|")})}`)
    .replace(/\{(\w+)\}/g, (_whole, name: string) => (name === one.slashed ? `:${name}{.+}` : `:${name}`));
}

/** The path of a name in a scope whose slash is not encoded: an at sign begins such a name, and no other. */
const scopedPath = (one: Pick<Endpoint, "path" | "slashed">, scoped: string): string =>
  routingPath(one).replace(`:${scoped}`, `:${scopeName}{(?:@|%40)[^/%]+}/:${scoped}`);
const scopeName = "scope_of_name";

/** Joins a name with its scope. */
function withScope({ scoped }: Endpoint, params: Record<string, string>): Record<string, string> {
  const { [scopeName]: scope, ...others } = params;
  if (scoped === undefined || scope === undefined) return params;
  return { ...others, [scoped]: `${scope}/${others[scoped]}` };
}

/**
 * Fixed segments come before parameters, and parameters of one segment before those that take several; of the latter
 * those that go on before those that end there.
 */
function bySpecificity(a: Endpoint, b: Endpoint): number {
  return specificity(a).localeCompare(specificity(b));
}

function specificity(one: Endpoint): string {
  const segments = one.path.split("/").map((segment) => {
    if (!segment.startsWith("{")) return "0";
    if (segment === `{${one.slashed}}`) return "3";
    return segment.endsWith(".{diffType}") ? "1" : "2";
  });
  return `${segments.join("")}4`;
}

function decodeParams(params: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Separates a name from the kind of text asked for. */
function withDiffType({ path }: Endpoint, params: Record<string, string>): Record<string, string> {
  const [, name] = /\{(\w+)\}\.\{diffType\}/.exec(path) ?? [];
  const value = name === undefined ? undefined : params[name];
  if (name === undefined || value === undefined) return params;
  const dot = value.lastIndexOf(".");
  return { ...params, [name]: value.slice(0, dot), diffType: value.slice(dot + 1) };
}

function typed(endpoint: Endpoint, params: Record<string, string>): Match {
  const values: Record<string, string | number> = {};
  for (const [name, text] of Object.entries(params)) {
    if (!isNumber(name)) {
      values[name] = text;
      continue;
    }
    const number = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) return { kind: "unknown" };
    values[name] = number;
  }
  return { kind: "endpoint", endpoint, params: values };
}
