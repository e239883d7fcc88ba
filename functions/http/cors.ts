import type { MiddlewareHandler } from "hono";
import type { Config } from "#core/config";

const usualHeaders = ["Authorization", "X-Gitea-OTP", "X-Forgejo-OTP", "Content-Type", "User-Agent"];

/** Lets pages of other sites call, as far as the settings allow (semantics §1.9). Switched off, it changes nothing. */
export function cors(config: Config): MiddlewareHandler {
  if (!config.corsEnabled) return (_context, next) => next();
  const isAllowed = originTest(config.corsAllowDomain);
  return async (context, next) => {
    const origin = context.req.header("origin");
    const granted = origin !== undefined && isAllowed(origin) ? grant(config, origin) : {};
    const isPreflight =
      context.req.method === "OPTIONS" &&
      origin !== undefined &&
      context.req.header("access-control-request-method") !== undefined;
    if (isPreflight) {
      const details = Object.keys(granted).length === 0 ? {} : preflight(config);
      return new Response(null, { status: 200, headers: { vary: "Origin", ...granted, ...details } });
    }
    await next();
    context.res.headers.append("vary", "Origin");
    for (const [name, value] of Object.entries(granted)) context.res.headers.set(name, value);
    return undefined;
  };
}

/** Credentials are never granted to everybody: browsers refuse it, and any page could act for its visitors. */
function grant(config: Config, origin: string): Record<string, string> {
  const isForAll = config.corsAllowDomain.includes("*");
  return {
    "access-control-allow-origin": isForAll ? "*" : origin,
    ...(config.corsAllowCredentials && !isForAll ? { "access-control-allow-credentials": "true" } : {}),
  };
}

const preflight = (config: Config): Record<string, string> => ({
  "access-control-allow-methods": config.corsMethods.join(", "),
  "access-control-allow-headers": [...usualHeaders, ...config.corsHeaders].join(", "),
  "access-control-max-age": String(config.corsMaxAgeSeconds),
});

/** Entries are `*`, origins with or without their scheme, or origins with a `*` for a part of the name. */
function originTest(entries: readonly string[]): (origin: string) => boolean {
  const patterns = entries.map((entry) => {
    const [before = "", ...after] = (entry.includes("://") ? entry : `*://${entry}`).toLowerCase().split("*");
    return { isAny: entry === "*", parts: [before, ...after] };
  });
  return (origin) => patterns.some(({ isAny, parts }) => isAny || matches(origin.toLowerCase(), parts));
}

/** Whether a text is these parts with something, but no slash, between each two. */
function matches(text: string, parts: readonly string[]): boolean {
  const quoted = parts.map((part) => part.replace(/[^a-z0-9]/g, (sign) => `\\${sign}`));
  return new RegExp(`^${quoted.join("[a-z0-9.-]+")}$`).test(text);
}
