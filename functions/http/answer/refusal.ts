import type { Call } from "../call.ts";
import type { Endpoint } from "../endpoint.ts";
import { Moved } from "../needs/moved.ts";
import type { Match, MatchedEndpoint } from "../routes.ts";
import { problem, problemOf, type RefusalForm } from "./problems.ts";

/** The answer to a request that leads to no operation. */
export function nothingThere(found: Exclude<Match, MatchedEndpoint>, rootUrl: string): Response {
  if (found.kind === "malformed") return problem(400, "the path holds a malformed percent-encoding", rootUrl);
  if (found.kind === "unknown") return problem(404, "there is no such path in this API", rootUrl);
  const response = problem(405, `this path answers ${found.allowed.join(", ")}`, rootUrl);
  response.headers.set("allow", found.allowed.join(", "));
  return response;
}

/** The answer to a request whose operation threw. */
export function refusalOf(error: unknown, call: Call, found: MatchedEndpoint, basePath: string): Response {
  const { forge, requestId, url } = call;
  const { rootUrl } = forge.config;
  if (error instanceof Moved) return redirect(found, error, `${rootUrl}${basePath}`, url);
  return problemOf(error, { rootUrl, requestId, log: forge.log, form: formOf(found.endpoint) });
}

function formOf({ returns, hasBareRefusal }: Endpoint): RefusalForm | undefined {
  if (returns !== undefined && "search" in returns) return "search";
  return hasBareRefusal === true ? "bare" : undefined;
}

/** 307 to the same operation under the target's present name (semantics §1.3). */
function redirect(
  { endpoint, params }: MatchedEndpoint,
  moved: Moved,
  base: string,
  { search }: URL,
): Response {
  const values: Readonly<Record<string, string | number>> = { ...params, ...moved.names };
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    name === endpoint.asSent ? String(values[name]) : encodeURIComponent(values[name] ?? ""),
  );
  return new Response(null, { status: 307, headers: { location: `${base}${path}${search}` } });
}
