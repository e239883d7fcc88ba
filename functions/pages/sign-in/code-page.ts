import { html } from "hono/html";
import { z } from "zod";
import { accountProblem } from "#core/access/account";
import { forbidden } from "#core/errors";
import { linkExternalLogin } from "#core/external-login/external-login";
import type { Forge } from "#core/forge";
import { standingOf } from "#core/session/standing";
import { findUserById } from "#core/user/find";
import { proveSecondFactor } from "#core/user/login";
import type { User } from "#core/user/user.table";
import { formTo } from "../form.ts";
import { goTo, pageAnswer, problemText } from "../frame.ts";
import type { Page, PageRequest } from "../page.ts";
import { openSealed, sealed } from "../sealed.ts";
import { providedLoginShape } from "./provided-login.ts";
import { signIn } from "./sign-in.ts";

const ticketSeconds = 600;

/** Says that somebody has proven their password: for the browser they did it in, as long as the account stays so. */
const ticketKind = {
  purpose: "second factor",
  shape: z.object({
    ...{ userId: z.number(), standing: z.string(), goal: z.string() },
    /** A login at a provider that shall be theirs from then on. */
    link: providedLoginShape.optional(),
  }),
};
type Ticket = z.infer<typeof ticketKind.shape>;

type CodeRequest = Pick<Ticket, "goal" | "link"> & { readonly user: User };

/** Asks for the code of the second factor. */
export function codeForm(asked: PageRequest, given: CodeRequest) {
  const { user, ...kept } = given;
  const ticket: Ticket = { userId: user.id, standing: standingOf(user), ...kept };
  return form(asked, sealed(asked, ticketKind, ticket, ticketSeconds));
}

/** Takes the code of the second factor. Each code lets in once. */
export const codePage: Page = {
  get: async ({ forge }) => goTo(forge, "/user/login"),
  async post(asked, given) {
    const { forge, address } = asked;
    const text = given.get("ticket") ?? "";
    const ticket = openSealed(asked, ticketKind, text);
    const user = ticket === undefined ? undefined : await userOf(forge, ticket);
    if (ticket === undefined || user === undefined) throw forbidden("this took too long: sign in again");
    const { goal, link } = ticket;
    const code = (given.get("passcode") ?? "").replaceAll(/\s/g, "");
    const isRight = await proveSecondFactor(forge, user, address, code);
    if (!isRight) return form(asked, text, "The code is not valid, or was used already: take the next one.");
    const gate = accountProblem(user);
    if (gate !== undefined) throw gate;
    if (link !== undefined) await linkExternalLogin(forge, user, link);
    return signIn(asked, user, goal);
  },
};

async function userOf(forge: Forge, { userId, standing }: Ticket): Promise<User | undefined> {
  const user = await findUserById(forge, userId);
  return user !== undefined && standingOf(user) === standing ? user : undefined;
}

function form({ forge, visitor }: PageRequest, ticket: string, problem?: string) {
  const fields = html`<input type="hidden" name="ticket" value="${ticket}">
<label>Code of your device, or a spare code <input name="passcode" autocomplete="one-time-code" required autofocus></label>
<button>Sign in</button>`;
  return pageAnswer({
    title: "Second factor",
    status: problem === undefined ? 200 : 403,
    body: html`${problemText(problem)}${formTo(forge, visitor, "/user/login/code", fields)}`,
  });
}
