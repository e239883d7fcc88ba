import { html } from "hono/html";
import { listExternalLogins, unlinkExternalLogin } from "#core/external-login/external-login";
import { endSession, endSessions, listSessions } from "#core/session/session";
import type { Session } from "#core/session/session.table";
import type { User } from "#core/user/user.table";
import { formTo } from "../form.ts";
import { goTo, type Markup, pageAnswer, wideTable } from "../frame.ts";
import type { Page, PageRequest } from "../page.ts";
import { signOut } from "./logout-page.ts";
import { signInFirst } from "./sign-in.ts";

const path = "/user/settings/sessions";

/** Shows a user where they are signed in, and what lets them in elsewhere, and ends what they don't want. */
export const sessionsPage: Page = {
  async get(asked) {
    const { forge, visitor } = asked;
    if (visitor.signedIn === undefined) return signInFirst(asked);
    const { user, session } = visitor.signedIn;
    const rows = (await listSessions(forge, user)).map((one) => rowOf(asked, one, one.id === session.id));
    const others = html`<button name="end" value="others">End all others</button>`;
    return pageAnswer({
      title: `Sessions of ${user.name}`,
      body: html`${wideTable("Sessions", ["Browser", "Address", "Signed in", "Last used (about)", ""], rows)}
${formTo(forge, visitor, path, others)}
${await linkedLogins(asked, user)}`,
    });
  },
  async post(asked, form) {
    const { forge, visitor } = asked;
    if (visitor.signedIn === undefined) return signInFirst(asked);
    const { user, session } = visitor.signedIn;
    const [end, unlink] = [form.get("end") ?? "", form.get("unlink") ?? ""];
    if (/^[\da-f]{64}$/.test(unlink)) await unlinkExternalLogin(forge, user, unlink);
    if (end === session.id) return signOut(asked);
    if (end === "others") await endSessions(forge, user.id, session.id);
    else if (/^[\da-f]{64}$/.test(end)) await endSession(forge, user.id, end);
    return goTo(forge, path);
  },
};

function rowOf({ forge, visitor }: PageRequest, session: Session, isThis: boolean): Markup | Promise<Markup> {
  const { id, userAgent, address, createdAt, usedAt } = session;
  const [word, which] = isThis ? ["Sign out", "here"] : ["End", `the session of ${address}, ${userAgent}`];
  const button = html`<button name="end" value="${id}" aria-label="${word} ${which}">${word}</button>`;
  return html`<tr><td>${userAgent || "unknown"}${isThis ? " (this one)" : ""}</td><td>${address}</td>
<td>${shown(createdAt)}</td><td>${shown(usedAt)}</td><td>${formTo(forge, visitor, path, button)}</td></tr>
`;
}

/** The logins at other services that let the user in, if there are any. */
async function linkedLogins({ forge, visitor }: PageRequest, user: User): Promise<Markup> {
  const logins = await listExternalLogins(forge, user.id);
  if (logins.length === 0) return html``;
  const rows = logins.map(({ source, subject, createdAt, hash }) => {
    const button = html`<button name="unlink" value="${hash}" aria-label="Unlink ${source}, ${subject}">Unlink</button>`;
    return html`<tr><td>${source}</td><td>${subject}</td><td>${shown(createdAt)}</td><td>${formTo(forge, visitor, path, button)}</td></tr>
`;
  });
  return html`<h2>Logins at other services</h2>
${wideTable("Logins at other services", ["Service", "Known there as", "Linked", ""], rows)}`;
}

const shown = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
