import { createRoute, z } from "@hono/zod-openapi";
import type { AccessModeName, UnitName } from "#core/access/modes";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor, ScopeCategory } from "#core/actor";
import type { Forge } from "#core/forge";
import type { User } from "#core/user/user.table";
import type { Listing, Page } from "./paging.ts";

/**
 * What a caller must be and show before an operation runs. Everything the access layer and the tests' access matrix
 * know of an operation stands here; handlers test no rights.
 */
export interface Needs {
  /** Categories that a token must cover: read for GET and HEAD, write for the rest. */
  readonly scope?: readonly ScopeCategory[];
  /** A signed-in caller (401). */
  readonly login?: true;
  /** A site administrator (401 anonymous, 403 others). */
  readonly siteAdmin?: true;
  /** Loads `{username}`: any user that the caller may see, or only the caller himself and administrators. */
  readonly user?: "visible" | "self-or-admin";
  /** Loads `{owner}/{repo}` (or `{id}` where there is no owner) and asks for a mode on the whole of it, or on one of these units. */
  readonly repository?: {
    readonly mode: Exclude<AccessModeName, "none">;
    readonly unit?: UnitName | readonly UnitName[];
    /** Answers 423 when the repository is archived (semantics §1.8). */
    readonly refusesArchived?: true;
  };
}

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;
/** Path parameters by name; `id` and `index` are whole numbers. */
export type Params<Path extends string> = {
  readonly [Name in Names<Path>]: Name extends "id" | "index" ? number : string;
};

type Shape = Readonly<Record<string, z.ZodType>>;
type Parsed<S extends Shape | undefined> = S extends Shape ? z.infer<z.ZodObject<S>> : Record<string, never>;

type ActorOf<N extends Needs> = N extends { login: true } | { siteAdmin: true } | { user: "self-or-admin" }
  ? Actor
  : Actor | undefined;

/** A request as a handler sees it: everything checked and loaded. */
export interface ApiRequest<N extends Needs, Path extends string, Q extends Shape | undefined, B> {
  readonly forge: Forge;
  readonly actor: ActorOf<N>;
  readonly access: N extends { repository: object } ? RepositoryAccess : undefined;
  readonly user: N extends { user: string } ? User : undefined;
  readonly params: Params<Path>;
  readonly query: Parsed<Q>;
  readonly body: B;
  readonly page: Page;
  /** What was asked, as the caller sees it: under ROOT_URL, with its query. */
  readonly url: URL;
  /** Aborted when the caller is gone or the time for an answer is over (D-TIME). */
  readonly signal: AbortSignal;
}

/** An answer with headers or a status of its own. */
export class Reply<T> {
  readonly value: T;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(value: T, options: { status?: number; headers?: Record<string, string> } = {}) {
    this.value = value;
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}

/** What an operation answers: a JSON value, a paged list of rows, or nothing. */
type Returns =
  | { readonly json: z.ZodType }
  | { readonly list: z.ZodType; readonly paging: "linked" | "counted" }
  | { readonly html: true };
type Answer<R extends Returns | undefined> = R extends { json: z.ZodType<infer T> }
  ? T
  : R extends { list: z.ZodType<infer T> }
    ? Listing<T>
    : R extends { html: true }
      ? string
      : undefined;

export type Method = "get" | "post" | "put" | "patch" | "delete";
export type Tag = "admin" | "miscellaneous" | "organization" | "repository" | "issue" | "user";

/** One operation, as it is written down in a noun's `endpoints.ts`. */
export interface EndpointSpec<
  N extends Needs,
  Path extends string,
  Q extends Shape | undefined,
  B extends z.ZodType | undefined,
  R extends Returns | undefined,
> {
  /** The operation id of the compatible family. */
  readonly id: string;
  readonly tag: Tag;
  readonly method: Method;
  /** As documented: `{name}` for parameters. */
  readonly path: Path;
  readonly summary: string;
  readonly description?: string;
  readonly needs: N;
  /** The parameter that may hold slashes and so takes the rest of the path, or a middle part of it (D-RAWPATH). */
  readonly slashed?: Names<Path>;
  readonly query?: Q;
  readonly body?: B;
  /** A body that is plain text instead of JSON. */
  readonly bodyType?: "application/json" | "text/plain";
  readonly bodyBytes?: number;
  readonly status: number;
  readonly returns?: R;
  /** Refusals that this operation is documented to give, beside 500 and 503. */
  readonly errors: readonly number[];
  /** The answer holds a secret: never stored by anyone (D-CACHE). */
  readonly isSecret?: true;
  /** Refusals of the rights check come without a body, as the family does on a few operations. */
  readonly hasBareRefusal?: true;
  readonly isDeprecated?: true;
  readonly handle: (
    request: ApiRequest<N, Path, Q, B extends z.ZodType ? z.infer<B> : undefined>,
  ) => Promise<Answer<R> | Reply<Answer<R>>>;
}

/** An operation with its types put away: what the app routes and the tests walk over. */
export type Endpoint = Omit<
  EndpointSpec<Needs, string, Shape | undefined, z.ZodType | undefined, Returns | undefined>,
  "handle" | "slashed"
> & {
  readonly slashed?: string;
  readonly handle: (request: ApiRequest<Needs, string, undefined, unknown>) => Promise<unknown>;
};

/**
 * Declares one operation. Routing, validation, authentication, the OpenAPI document, paging headers and the access
 * matrix that the tests run all come from this value: it is the only place to add an operation.
 */
export function endpoint<
  const N extends Needs,
  const Path extends string,
  const Q extends Shape | undefined = undefined,
  const B extends z.ZodType | undefined = undefined,
  const R extends Returns | undefined = undefined,
>(spec: EndpointSpec<N, Path, Q, B, R>): Endpoint {
  return spec as unknown as Endpoint;
}

/** The OpenAPI form of an operation. */
export function routeOf(one: Endpoint) {
  const params = [...one.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const paramShape = Object.fromEntries(
    params.map((name) => [name, name === "id" || name === "index" ? z.int() : z.string()]),
  );
  const isList = one.returns !== undefined && "list" in one.returns;
  const query = { ...one.query, ...(isList ? pagingQuery : {}) };
  const bodyType = one.bodyType ?? "application/json";
  return createRoute({
    operationId: one.id,
    tags: [one.tag],
    method: one.method,
    path: one.path,
    summary: one.summary,
    ...(one.description === undefined ? {} : { description: one.description }),
    ...(one.isDeprecated === true ? { deprecated: true } : {}),
    ...(isOpen(one.needs) ? { security: [{}, ...security] } : { security }),
    request: {
      ...(params.length > 0 ? { params: z.object(paramShape) } : {}),
      ...(Object.keys(query).length > 0 ? { query: z.object(query) } : {}),
      ...(one.body === undefined ? {} : { body: { content: { [bodyType]: { schema: one.body } } } }),
    },
    responses: responsesOf(one),
  });
}

const pagingQuery = {
  page: z.int().optional().openapi({ description: "page number, from 1" }),
  limit: z.int().optional().openapi({ description: "page size; larger than the maximum is clamped" }),
};
const security = [{ BasicAuth: [] }, { Token: [] }, { Bearer: [] }];

/** Whether anonymous callers may use an operation, subject to what they may see. */
export const isOpen = (needs: Needs): boolean =>
  needs.login !== true && needs.siteAdmin !== true && needs.user !== "self-or-admin";

const Problem = z
  .object({ message: z.string(), url: z.string(), errors: z.array(z.string()).optional() })
  .openapi("APIError");

function responsesOf(one: Endpoint) {
  const refusals = one.errors.map((status) => [
    String(status),
    { description: "refused", content: { "application/json": { schema: Problem } } },
  ]);
  return { [String(one.status)]: successOf(one), ...Object.fromEntries(refusals) };
}

function successOf(one: Endpoint) {
  if (one.returns === undefined) return { description: "done, without a body" };
  if ("html" in one.returns) return { description: "HTML", content: { "text/html": { schema: z.string() } } };
  const schema = "list" in one.returns ? z.array(one.returns.list) : one.returns.json;
  return { description: "success", content: { "application/json": { schema } } };
}
