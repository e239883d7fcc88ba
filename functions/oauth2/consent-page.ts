import { html } from "hono/html";
import { z } from "zod";
import { badRequest } from "#core/errors";
import type { OAuth2Client } from "#core/oauth2-application/client";
import { giveOAuth2Grant } from "#core/oauth2-grant/oauth2-grant";
import { formTo } from "../pages/form.ts";
import { type Markup, pageAnswer } from "../pages/frame.ts";
import { seenPath } from "../pages/local-path.ts";
import type { Page, PageRequest } from "../pages/page.ts";
import { openSealed, sealed } from "../pages/sealed.ts";
import { signInFirst } from "../pages/sign-in/sign-in.ts";
import { type AuthorizeRequest, findReturnAddress, type ReturnAddress } from "./authorize-request.ts";
import { parametersOf } from "./parameters.ts";
import { returnWithCode, returnWithRefusal } from "./return.ts";
import { scopeWords } from "./scope-words.ts";

/** The program's question as the form brings it back, sealed for this browser and session. */
const question = {
  purpose: "oauth2-consent",
  shape: z.object({
    ...{ clientId: z.string(), redirectUri: z.string(), isNamed: z.boolean(), state: z.string().optional() },
    ...{ scopes: z.array(z.string()), scopeText: z.string(), nonce: z.string().optional() },
    challenge: z.object({ method: z.enum(["S256", "plain"]), value: z.string() }).optional(),
  }),
};
type AskedFor = z.infer<typeof question.shape>;

const path = "/login/oauth/grant";
const askedSeconds = 3_600;

/** Asks a user whether a program may do what it asks for. */
export function askForConsent(
  asked: PageRequest,
  address: ReturnAddress,
  { scopes, nonce, challenge }: AuthorizeRequest,
  scopeText: string,
): Promise<Response> {
  const { client, redirectUri, isNamed, state } = address;
  const { config } = asked.forge;
  const value: AskedFor = {
    ...{ clientId: client.clientId, redirectUri, isNamed, state, scopes: [...scopes], scopeText },
    ...{ nonce, challenge },
  };
  const shown = { client_id: client.clientId, redirect_uri: redirectUri, state, scope: scopeText, nonce };
  const fields = html`<input type="hidden" name="request" value="${sealed(asked, question, value, askedSeconds)}">
${Object.entries(shown).map(([name, text]) => html`<input type="hidden" name="${name}" value="${text ?? ""}">`)}
<button name="granted" value="true">Let it</button> <button name="granted" value="false">Don't</button>`;
  return pageAnswer({
    title: `Let ${client.name} act for you?`,
    body: html`<p><strong><bdi>${client.name}</bdi></strong>, ${originWords(client)}, wants to do this in the name of
<strong>${asked.visitor.signedIn?.user.name ?? ""}</strong>:</p>
<ul>${scopeWords(scopes).map((words) => html`<li>${words}</li>`)}</ul>
<p>You will be sent on to <code>${destination(redirectUri)}</code>. You can take it back under
<a href="${seenPath(config, "/user/settings/applications")}">your programs</a>.</p>
${formTo(asked.forge, asked.visitor, path, fields)}`,
    formsLeadAway: true,
  });
}

const originWords = ({ ownerName }: OAuth2Client): Markup | Promise<Markup> =>
  ownerName === undefined
    ? html`a program on your own machine`
    : html`a program that the user <strong>${ownerName}</strong> registered`;

/** Where that is, without what only the program understands. */
const destination = (redirectUri: string): string => redirectUri.split("?")[0] ?? "";

/** Takes the answer of the page above (semantics §68.2). */
export const grantPage: Page = {
  async post(asked, form) {
    const { forge, visitor } = asked;
    if (visitor.signedIn === undefined) return signInFirst({ ...asked, url: new URL("/", asked.url) });
    const request = openSealed(asked, question, form.get("request") ?? "");
    if (request === undefined) throw badRequest("This form is over: begin anew where you came from.");
    requireUnchanged(form, request);
    const { clientId: client_id, redirectUri, isNamed } = request;
    const named = { client_id, redirect_uri: redirectUri };
    // The application may have changed since.
    const found = await findReturnAddress(forge, parametersOf(Object.entries(named)));
    const address: ReturnAddress = { ...found, isNamed, state: request.state };
    if (form.get("granted") !== "true") {
      return returnWithRefusal(forge, address, { code: "access_denied", message: "the user did not agree" });
    }
    const { user, session } = visitor.signedIn;
    const { scopes, challenge, nonce } = request;
    const grant = await giveOAuth2Grant(forge, {
      ...{ userId: user.id, clientId: client_id, scopes, redirectUri },
    });
    const authTime = session.createdAt;
    const bound = { scopes, challenge, nonce, authTime, redirectUri: isNamed ? redirectUri : undefined };
    return returnWithCode(forge, address, grant, bound);
  },
};

/** BadRequest unless the form's fields are those that were asked and sealed. */
function requireUnchanged(form: URLSearchParams, asked: AskedFor): void {
  const expected: Readonly<Record<string, string>> = {
    client_id: asked.clientId,
    redirect_uri: asked.redirectUri,
    state: asked.state ?? "",
    scope: asked.scopeText,
    nonce: asked.nonce ?? "",
  };
  for (const [name, text] of Object.entries(expected)) {
    const given = form.getAll(name);
    if (given.some((one) => one !== text)) throw badRequest(`${name} is not what the program asked for.`);
  }
}
