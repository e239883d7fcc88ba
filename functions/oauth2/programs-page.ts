import { html } from "hono/html";
import { findOAuth2Program, isClientId } from "#core/oauth2-application/client";
import { listOAuth2Grants, removeOAuth2Grant } from "#core/oauth2-grant/oauth2-grant";
import type { OAuth2Grant } from "#core/oauth2-grant/oauth2-grant.table";
import { formTo } from "../pages/form.ts";
import { goTo, type Markup, pageAnswer, wideTable } from "../pages/frame.ts";
import type { Page, PageRequest } from "../pages/page.ts";
import { signInFirst } from "../pages/sign-in/sign-in.ts";
import { scopeWords } from "./scope-words.ts";

const path = "/user/settings/applications";

/** Shows a user which programs may act for them, and takes back what they don't want. */
export const programsPage: Page = {
  cost: "heavy", // each program is read
  async get(asked) {
    const { forge, visitor } = asked;
    if (visitor.signedIn === undefined) return signInFirst(asked);
    const grants = await listOAuth2Grants(forge, visitor.signedIn.user.id);
    const rows = await Promise.all(grants.map((grant) => rowOf(asked, grant)));
    const table = wideTable("Programs", ["Program", "May", "Since", ""], rows);
    return pageAnswer({
      title: `Programs of ${visitor.signedIn.user.name}`,
      body: rows.length === 0 ? html`<p>No program may act for you.</p>` : table,
    });
  },
  async post(asked, form) {
    const { forge, visitor } = asked;
    if (visitor.signedIn === undefined) return signInFirst(asked);
    const clientId = form.get("client_id") ?? "";
    if (isClientId(clientId)) await removeOAuth2Grant(forge, visitor.signedIn.user.id, clientId);
    return goTo(forge, path);
  },
};

async function rowOf({ forge, visitor }: PageRequest, grant: OAuth2Grant): Promise<Markup> {
  const { clientId, scopes, createdAt } = grant;
  const program = await findOAuth2Program(forge, clientId);
  const name = program?.client.name ?? "a program that is gone";
  const words = [...(program?.isShutOut === true ? ["nothing at present"] : []), ...scopeWords(scopes)];
  const field = html`<input type="hidden" name="client_id" value="${clientId}"><button aria-label="Take it back from ${name}">Take it back</button>`;
  const since = new Date(createdAt * 1000).toISOString().slice(0, 10);
  return html`<tr><td>${name}</td><td>${words.join("; ")}</td>
<td>${since}</td><td>${formTo(forge, visitor, path, field)}</td></tr>
`;
}
