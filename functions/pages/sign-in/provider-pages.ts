import { z } from "zod";
import type { OpenIdSource } from "#core/config/openid";
import { forbidden, notFound } from "#core/errors";
import { claimEvent } from "#core/events/claims";
import {
  findExternalUser,
  type ProvidedLogin,
  registerExternalUser,
} from "#core/external-login/external-login";
import type { Forge } from "#core/forge";
import { beginProviderLogin, endProviderLogin, findOpenIdSource } from "#core/login-source/openid-provider";
import { needsCode } from "#core/user/login";
import type { User } from "#core/user/user.table";
import { cookieHeader, endedCookieHeader, readCookie } from "../cookies.ts";
import { leaveTo } from "../frame.ts";
import type { Page, PageRequest } from "../page.ts";
import { openSealed, sealed } from "../sealed.ts";
import { codeForm } from "./code-page.ts";
import { linkForm } from "./link-page.ts";
import { goalOf, signIn } from "./sign-in.ts";

const loginSeconds = 600;
/** Browsers keep no cookie of more than 4,096 bytes, and this one is sealed. */
const longestGoal = 2_000;

/** A login that this browser has begun: its cookie, sealed. */
const begunLoginKind = {
  purpose: "login at a provider",
  shape: z.object({
    source: z.string(),
    checks: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
    goal: z.string(),
  }),
};
type BegunLogin = z.infer<typeof begunLoginKind.shape>;

/** Sends the browser to a provider. */
export const providerPage: Page = {
  cost: "heavy",
  async get(asked) {
    const { forge, url, params } = asked;
    const source = sourceNamed(forge, params.source);
    const isAnew = url.searchParams.get("anew") === "true";
    const { url: there, checks } = await beginProviderLogin(forge, source, returnPath(forge, source), isAnew);
    const goal = goalOf(url.searchParams.get("redirect_to"));
    const begun: BegunLogin = {
      source: source.name,
      checks,
      goal: goal.length > longestGoal ? goalOf(null) : goal,
    };
    const cookie = sealed(asked, begunLoginKind, begun, loginSeconds);
    const response = leaveTo(there);
    response.headers.append("set-cookie", cookieHeader("provider", cookie, forge.config, loginSeconds));
    return response;
  },
};

/**
 * Takes the browser back from a provider. Whom it let in signs in as the user that they are linked to; the first time
 * an account is made, where the source says so, or they prove which one is theirs.
 */
export const callbackPage: Page = {
  cost: "heavy",
  async get(asked) {
    const { forge, url, params } = asked;
    const source = sourceNamed(forge, params.source);
    const { checks, goal } = await begunLogin(asked, source);
    const cameBackTo = new URL(returnPath(forge, source) + url.search);
    const identity = await endProviderLogin(forge, source, cameBackTo, checks);
    const response = await letIn(asked, source, { ...identity, source: source.name }, goal);
    response.headers.append("set-cookie", endedCookieHeader("provider", forge.config));
    return response;
  },
};

/** The login that this browser has begun with this source and not ended: an answer counts once. */
async function begunLogin(asked: PageRequest, source: OpenIdSource): Promise<BegunLogin> {
  const { forge, request, url } = asked;
  const cookie = readCookie(request.headers, "provider", forge.config) ?? "";
  const begun = openSealed(asked, begunLoginKind, cookie);
  const isAnswer = begun?.source === source.name && begun.checks.state === url.searchParams.get("state");
  if (begun === undefined || !isAnswer) throw notOfThisLogin();
  const { outcome } = await claimEvent(forge, "provider-login", begun.checks.state, loginSeconds);
  if (outcome !== "claimed") throw notOfThisLogin();
  return begun;
}

const notOfThisLogin = () =>
  forbidden(
    "this answer belongs to no login that this browser has begun, or to one that is over: begin anew",
  );

async function letIn(asked: PageRequest, source: OpenIdSource, login: ProvidedLogin, goal: string) {
  const { forge } = asked;
  const user = await findExternalUser(forge, login);
  if (user !== undefined) return knownUser(asked, source, user, goal);
  if (!source.auto_register) return linkForm(asked, { login, goal });
  const made = await registerExternalUser(forge, login);
  return "problem" in made
    ? linkForm(asked, { login, goal, problem: `No account could be made: ${String(made.problem)}` })
    : knownUser(asked, source, made, goal);
}

/** The second factor of an account holds whoever let its user in. */
const knownUser = (asked: PageRequest, source: OpenIdSource, user: User, goal: string) =>
  needsCode(asked.forge, user) && !source.skip_local_2fa
    ? codeForm(asked, { user, goal })
    : signIn(asked, user, goal);

function sourceNamed({ config }: Forge, name = ""): OpenIdSource {
  const source = findOpenIdSource(config, name);
  if (source === undefined) throw notFound("there is no login source of this name");
  return source;
}

/** The address that providers know of us. */
const returnPath = ({ config }: Forge, { name }: OpenIdSource): string =>
  `${config.rootUrl}/user/oauth2/${name}/callback`;
