import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Config } from "#core/config";

type Registry = OpenAPIHono["openAPIRegistry"];
type Scheme = Parameters<Registry["registerComponent"]>[2];

const key = (place: "header" | "query", name: string, description: string): Scheme => ({
  ...{ type: "apiKey", in: place, name },
  description,
});

/** The ways to say who calls, and as whom, under the family's names (semantics §2). */
const schemes: Readonly<Record<string, Scheme>> = {
  BasicAuth: { type: "http", scheme: "basic" },
  AuthorizationHeaderToken: key("header", "Authorization", "the word token, a space, and the access token"),
  TOTPHeader: key("header", "X-Forgejo-OTP", "beside name and password: the code of a second factor"),
  SudoHeader: key("header", "Sudo", "administrators act as this user"),
  SudoParam: key("query", "sudo", "administrators act as this user"),
};

const logged = "deprecated: what stands in an address is logged on the way";
const inQuery: typeof schemes = {
  Token: key("query", "token", logged),
  AccessToken: key("query", "access_token", logged),
};

/** Who says nothing else logs in by one of these. */
export const security = [{ BasicAuth: [] }, { AuthorizationHeaderToken: [] }];

/** Who protects the account itself logs in by the password, and with a code if they have a second factor. */
export const ownPasswordSecurity = [{ BasicAuth: [] }, { BasicAuth: [], TOTPHeader: [] }];

/** Declares the ways to log in; tokens in the query only where the settings let them in. */
export function registerSecurity(registry: Registry, config: Config): void {
  for (const [name, scheme] of Object.entries({
    ...schemes,
    ...(config.disableQueryAuthToken ? {} : inQuery),
  })) {
    registry.registerComponent("securitySchemes", name, scheme);
  }
}
