import type { Caller } from "#tests/support/api";
import { type OAuth2Answer, type Provider, type Registered, redirectUri, startProvider } from "./provider.ts";

/** Who asks, and whose tokens they are unless a test says otherwise. */
interface Asking {
  readonly provider: Provider;
  readonly app: Registered;
  readonly user: Caller;
}

/** A provider with two users, the second of whom registered two programs. */
export interface TokenWorld {
  readonly provider: Provider;
  readonly alice: Caller;
  readonly bob: Caller;
  readonly app: Registered;
  readonly other: Registered;
}

/** Starts one; it ends with the test file. */
export async function startTokenWorld(): Promise<TokenWorld> {
  const provider = await startProvider();
  const alice = await provider.api.makeUser({ name: "alice" });
  const bob = await provider.api.makeUser({ name: "bob" });
  const app = await provider.register(bob);
  return { provider, alice, bob, app, other: await provider.register(bob, { name: "other" }) };
}

/** How a program names itself in a body. */
export const secretOf = ({ client_id, client_secret }: Registered) => ({ client_id, client_secret });

/** What a program asks for at the token endpoint, and what its tokens are good for. */
export function tokenRequests(on: () => Asking) {
  const ask = (fields: Record<string, string>): Promise<OAuth2Answer> =>
    on().provider.post("/login/oauth/access_token", { ...secretOf(on().app), ...fields });
  const exchange = (code: string, more: Record<string, string> = {}) =>
    ask({ grant_type: "authorization_code", code, redirect_uri: redirectUri, ...more });
  return {
    exchange,
    refresh: (token: string, more: Record<string, string> = {}) =>
      ask({ grant_type: "refresh_token", refresh_token: token, ...more }),
    async tokensFor(user = on().user, scope = "") {
      const { provider, app } = on();
      return (await exchange(await provider.codeFor(user, app.client_id, { scope }))).json;
    },
    async status(token: string, method = "GET", at = "/user", body?: object) {
      const headers = { authorization: `bearer ${token}` };
      return (await on().provider.api.call(method, at, { headers, body })).status;
    },
  };
}
