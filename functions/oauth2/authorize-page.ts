import { badRequest } from "#core/errors";
import { findOAuth2Grant, isAgreedAddress } from "#core/oauth2-grant/oauth2-grant";
import { OAuth2Refusal } from "#core/oauth2-grant/refusal";
import { areWithin } from "#core/oauth2-grant/scope";
import { goTo } from "../pages/frame.ts";
import type { Page, PageRequest } from "../pages/page.ts";
import { signInFirst } from "../pages/sign-in/sign-in.ts";
import { findReturnAddress, type ReturnAddress, readAuthorizeRequest } from "./authorize-request.ts";
import { askForConsent } from "./consent-page.ts";
import type { Asked } from "./operation.ts";
import { bodyParameters, type Parameters, parametersOf } from "./parameters.ts";
import { returnWithCode, returnWithRefusal } from "./return.ts";
import { signInNeeded } from "./sign-in-anew.ts";
import { findUserMeant } from "./user-meant.ts";

/** GET /login/oauth/authorize: sends a signed-in user back to a program with a code (semantics §68.2). */
export const authorizePage: Page = {
  async get(asked) {
    const parameters = tellingUser(() => parametersOf(asked.url.searchParams));
    const address = await findReturnAddress(asked.forge, parameters);
    try {
      return await authorize(asked, address, parameters);
    } catch (error) {
      if (error instanceof OAuth2Refusal) return returnWithRefusal(asked.forge, address, error);
      throw error;
    }
  },
};

/** Before it is known where a program wants its users back, its mistakes are told to the user. */
function tellingUser<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof OAuth2Refusal ? badRequest(error.message) : error;
  }
}

async function authorize(asked: PageRequest, address: ReturnAddress, parameters: Parameters) {
  const { forge, visitor } = asked;
  const { client } = address;
  const request = readAuthorizeRequest(address, parameters);
  const isSilent = request.prompts.has("none");
  const meant = await findUserMeant(forge, client.clientId, request.idTokenHint, asked.url);
  const signIn = signInNeeded(asked, request, meant);
  if (visitor.signedIn === undefined || signIn !== undefined) {
    if (isSilent) throw new OAuth2Refusal("login_required", "the user has to sign in");
    return signIn ?? signInFirst(asked);
  }
  if (meant !== undefined && meant.userId !== visitor.signedIn.user.id) {
    throw new OAuth2Refusal("login_required", "another user than that of id_token_hint has signed in");
  }
  const grant = await findOAuth2Grant(forge, visitor.signedIn.user.id, client.clientId);
  const isAgreed =
    grant !== undefined &&
    areWithin(request.scopes, grant.scopes) &&
    isAgreedAddress(grant, address.redirectUri);
  const authTime = visitor.signedIn.session.createdAt;
  // Any program on the user's machine can say that it is a public one.
  if (isAgreed && client.isConfidential && !request.prompts.has("consent")) {
    return returnWithCode(forge, address, grant, { ...request, authTime });
  }
  if (isSilent && isAgreed)
    throw new OAuth2Refusal("interaction_required", "the user of a public client is always asked");
  if (isSilent) throw new OAuth2Refusal("consent_required", "the user has to be asked");
  return askForConsent(asked, address, request, parameters.text("scope"));
}

/**
 * POST /login/oauth/authorize: a form of the program's own page (OpenID Connect Core, section 3.1.2.1). Browsers send no
 * cookie along with it, so it goes on as the same request by GET.
 */
export async function authorizeByForm({ forge, request, body }: Asked): Promise<Response> {
  const parameters = await bodyParameters(request, body);
  const names = [
    ...["client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "prompt", "max_age"],
    ...["id_token_hint", "code_challenge", "code_challenge_method"],
  ];
  const pairs = names.flatMap((name) => {
    const times = parameters.repeated.has(name) ? 2 : 1;
    const value = parameters.optional(name);
    return value === undefined ? [] : Array.from({ length: times }, (): [string, string] => [name, value]);
  });
  return goTo(forge, `/login/oauth/authorize?${new URLSearchParams(pairs)}`);
}
