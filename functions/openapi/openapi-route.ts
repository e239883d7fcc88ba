import { createRoute } from "@hono/zod-openapi";
import { defined } from "#core/defined";
import { z } from "#zod";
import type { OtherReturns } from "../http/answer/returns.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { mayMove } from "../http/needs/moved.ts";
import { isOpen } from "../http/needs/needs.ts";
import { diffTypes, isNumber } from "../http/params.ts";
import { notesName } from "../http/query.ts";
import { responseRef } from "./refusals.ts";
import { ownPasswordSecurity, security } from "./security.ts";

/** The OpenAPI form of an operation. */
export function routeOf(one: Endpoint) {
  const params = [...one.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const paramShape = Object.fromEntries(params.map((name) => pathParameter(one, name)));
  const query = { ...one.query, ...pagingOf(one) };
  return createRoute({
    operationId: one.id,
    tags: [one.tag],
    method: one.method,
    path: documentedPath(one),
    summary: one.summary,
    ...defined({
      description: one.description,
      deprecated: one.isDeprecated,
      "x-original-name": one.originalId,
    }),
    security: securityOf(one),
    request: {
      ...(params.length > 0 ? { params: z.object(paramShape) } : {}),
      ...(Object.keys(query).length > 0 ? { query: z.object(query) } : {}),
      ...defined({ body: one.takesFile ? fileBodyOf(one.takesFile) : one.body && bodyOf(one, one.body) }),
    },
    responses: responsesOf(one),
  });
}

function securityOf({ needs }: Endpoint) {
  if (needs.ownPassword !== undefined) return ownPasswordSecurity;
  return isOpen(needs) ? [{}, ...security] : security;
}

/** The path as documents show it. */
export const documentedPath = ({ path, namedId }: Pick<Endpoint, "path" | "namedId">): string =>
  namedId === undefined ? path : path.replace(`{${namedId}}`, "{id}");

const namedId = z.int().openapi({ param: { description: "the id; a name is accepted as well" } });

/** Whole numbers that operations read themselves, and refuse with words of their own. */
const readByHandlers: ReadonlySet<string> = new Set(["comment", "position"]);

function pathParameter(one: Endpoint, name: string): [string, z.ZodType] {
  if (name === one.namedId) return ["id", namedId];
  if (name === "diffType") return [name, z.enum(diffTypes)];
  const schema = isNumber(name) || readByHandlers.has(name) ? z.int() : z.string();
  const originalName = one.originalNames?.[name];
  return [name, originalName === undefined ? schema : notesName(schema, originalName)];
}

/** JSON is also read as plain text (D-TEXTPLAIN); it may be left out when an empty object would do. */
function bodyOf({ bodyType, withoutBody }: Endpoint, schema: z.ZodType) {
  const isJson = bodyType !== "text/plain";
  return {
    content: { ...(isJson ? { "application/json": { schema } } : {}), "text/plain": { schema } },
    required: withoutBody === "refused" || (isJson && !schema.safeParse(withoutBody ?? {}).success),
  };
}

const fileBodyOf = (forms: NonNullable<Endpoint["takesFile"]>) => ({
  content: Object.fromEntries(Object.entries(forms).map(([type, schema]) => [type, { schema }])),
  required: true,
});

const isPaged = ({ returns }: Endpoint): boolean =>
  returns !== undefined && ("list" in returns || "search" in returns);

const pagingOf = (one: Endpoint): Partial<typeof pagingQuery> => {
  if (isPaged(one) || one.pagedBy === "page and limit") return pagingQuery;
  return one.pagedBy === "page" ? { page: pagingQuery.page } : {};
};

const pagingQuery = {
  page: z.int().optional().openapi({ description: "page number, from 1", default: 1 }),
  limit: z.int().optional().openapi({ description: "page size; larger than the maximum is clamped" }),
};

/** The possible refusals: the declared ones, and those that follow from the inputs and the caller. */
function refusalsOf(one: Endpoint): ReadonlySet<number> {
  const { repository, user } = one.needs;
  const isNamed = one.path.includes("{") || repository !== undefined || user !== undefined;
  const hasBody = one.body !== undefined || one.takesFile !== undefined;
  return new Set([
    ...one.errors,
    ...anywhere,
    ...(isNamed || (hasBody && one.bodyType !== "text/plain") ? [400] : []),
    ...(hasBody ? [408, 413, 415, 422] : []),
    ...(one.method === "post" ? [415] : []),
    ...(Object.keys(one.query ?? {}).length > 0 ? [422] : []),
    ...(one.refusesArchived === true ? [423] : []),
  ]);
}

/** Wrong credentials, an account or a token without rights, an unknown name in Sudo, too many tries, our own faults. */
const anywhere = [401, 403, 404, 429, 500, 503];

function responsesOf(one: Endpoint) {
  const refusals = [...refusalsOf(one)]
    .sort()
    .map((status) => [String(status), refusalResponse(one, status)]);
  const moved = mayMove(one) ? { 307: { $ref: responseRef("moved") } } : {};
  return {
    ...successes(one),
    ...rangesOf(one),
    ...moved,
    ...Object.fromEntries(refusals),
  };
}

/** Of a file a range may be asked for. */
function rangesOf(one: Endpoint) {
  if (one.returns === undefined || !("file" in one.returns)) return {};
  const part = { description: "a range of the file", content: { "*/*": { schema: file } } };
  return { 206: part, 416: { description: "the range begins past the end; without a body" } };
}

function refusalResponse(one: Endpoint, status: number) {
  const isSearch = one.returns !== undefined && "search" in one.returns;
  if (status === 422 && isSearch) return { $ref: responseRef("searchError") };
  if (status === 404 && one.isCheck === true) return { $ref: responseRef("no404") };
  return { $ref: responseRef(status === 403 && one.hasBareRefusal === true ? "bare403" : `error${status}`) };
}

function successes(one: Endpoint) {
  const { status, otherStatus = status, otherReturns } = one;
  const hasOther = otherReturns !== undefined && otherReturns.status !== status;
  const other = hasOther ? { [otherReturns.status]: otherSuccessOf(otherReturns) } : {};
  return { [status]: successOf(one), [otherStatus]: successOf(one), ...other };
}

function otherSuccessOf(other: OtherReturns) {
  const content = contentOf(other);
  return content === undefined
    ? { description: "nothing to show, without a body" }
    : { description: "success of another form", content };
}

function contentOf(other: OtherReturns) {
  if ("json" in other) return { "application/json": { schema: other.json } };
  return "text" in other ? { "text/plain": { schema: z.string() } } : undefined;
}

/** The other form of an answer with the same status. */
const otherFormOf = ({ status, otherReturns }: Endpoint) =>
  otherReturns?.status === status ? contentOf(otherReturns) : undefined;

function successOf(one: Endpoint) {
  const { returns } = one;
  if (returns === undefined) return { description: "done, without a body" };
  if ("html" in returns) return { description: "HTML", content: { "text/html": { schema: z.string() } } };
  if ("text" in returns) return { description: "text", content: { "text/plain": { schema: z.string() } } };
  if ("file" in returns)
    return { description: "the file, of its own media type", content: { "*/*": { schema: file } } };
  const json = { "application/json": { schema: shapeOf(returns) } };
  return isPaged(one)
    ? { description: "one page", content: json, headers: pagingHeaders }
    : { description: "success", content: { ...json, ...otherFormOf(one) } };
}

const file = z.string().openapi({ format: "binary" });

type JsonReturns = Exclude<
  NonNullable<Endpoint["returns"]>,
  { html: true } | { text: true } | { file: true }
>;

function shapeOf(returns: JsonReturns): z.ZodType {
  if ("list" in returns) {
    const rows = z.array(returns.list);
    const { under, total, named } = returns;
    const whole =
      under === undefined ? rows : z.object({ [under]: rows, ...(total && { [total]: z.int() }) });
    return named === undefined ? whole : whole.openapi(named);
  }
  if ("oneOrList" in returns) {
    const { oneOrList, usually } = returns;
    return usually === "list"
      ? z.union([z.array(oneOrList), oneOrList])
      : z.union([oneOrList, z.array(oneOrList)]);
  }
  return "search" in returns ? returns.search : returns.json;
}

const pagingHeaders = z.object({
  "X-Total-Count": z.int().openapi({ description: "rows on all pages" }),
  Link: z
    .string()
    .optional()
    .openapi({ description: "next, last, first and prev page, when there are several" }),
  "X-Total-Count-Exact": z
    .string()
    .optional()
    .openapi({ description: "false when the total counts only the rows found so far" }),
});
