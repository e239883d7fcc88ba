import { Hono } from "hono";
import { countRequest } from "#core/caller/rates";
import type { Forge } from "#core/forge";
import { claimOf, mailPath, unsubscriberOf } from "#core/mail/links";
import { editUser } from "#core/user/edit";
import { verifyEmail } from "#core/user/emails";
import { findUserById } from "#core/user/find";
import type { User } from "#core/user/user.table";
import { type Call, closeCall, openCall } from "../http/call.ts";
import { refusalPage } from "../pages/refusal-page.ts";
import { type PageText, pageOf } from "./page.ts";

/** What a link does, and what its pages say; `act` throws refusals. */
interface LinkedAction {
  /** Of the page that asks. */
  readonly question: PageText;
  readonly button: string;
  readonly act: () => Promise<PageText>;
}

/** An account's link; undefined when it was made up, its time is over, or the account is gone. */
type Open = (forge: Forge, sealed: string) => Promise<LinkedAction | undefined>;

const actions: Readonly<Record<string, Open>> = {
  async unsubscribe(forge, sealed) {
    const user = await findUserOf(forge, unsubscriberOf(forge, sealed));
    return user && unsubscribing(forge, user);
  },
  async confirm(forge, sealed) {
    const claim = claimOf(forge, sealed);
    const user = await findUserOf(forge, claim?.userId);
    return claim && user && confirming(forge, user, claim.email);
  },
};

const findUserOf = async (forge: Forge, id: number | undefined): Promise<User | undefined> =>
  id === undefined ? undefined : findUserById(forge, id);

/**
 * Where the links in mails lead. To open one changes nothing, because programs that look through mails open them, too:
 * its page has a button. Programs that end mails for their users post at once (RFC 8058).
 */
export function createMailApp(forge: Forge): Hono {
  const app = new Hono();
  app.all(`${mailPath}:action/:sealed`, async (context) => {
    const call = openCall({ forge }, context);
    const { action, sealed } = context.req.param();
    const answered = answer(call, action, sealed).catch((error: unknown) => refusalPage(call, error));
    return closeCall(call, await answered);
  });
  app.notFound(async (context) => closeCall(openCall({ forge }, context), await pageOf(404, linkIsOver)));
  return app;
}

const linkIsOver: PageText = {
  title: "This link is over",
  text: "It was opened too late, or not copied as a whole. To get another, take the address away and add it again.",
};
/** Links that end mails are never too late. */
const linkIsDamaged: PageText = {
  title: "This link is not whole",
  text: "It was not copied as a whole, or its account is gone. PATCH /api/v1/user/settings with email_notifications ends mail, too.",
};

/** Counts the request for its network (D-RATE). */
async function answer({ forge, request, address }: Call, action: string, sealed: string): Promise<Response> {
  countRequest(forge, { address }, "light");
  const open = Object.hasOwn(actions, action) ? actions[action] : undefined;
  const linked = await open?.(forge, sealed);
  if (linked === undefined) return pageOf(404, action === "unsubscribe" ? linkIsDamaged : linkIsOver);
  const { method } = request;
  if (method === "GET" || method === "HEAD") return pageOf(200, linked.question, linked.button);
  if (method === "POST") return pageOf(200, await linked.act());
  const refusal = await pageOf(405, { title: "This link takes GET and POST", text: "Open it in a browser." });
  refusal.headers.set("allow", "GET, HEAD, POST");
  return refusal;
}

const unsubscribing = (forge: Forge, user: User): LinkedAction => ({
  question: {
    title: "Stop mail of notifications?",
    text: `The account ${user.name} is sent mail of what happens in its repositories, issues and pull requests. Press the button to stop it. Notifications themselves go on: they are read after signing in.`,
  },
  button: "Stop the mail",
  async act() {
    await editUser(forge, user, { emailNotifications: "disabled" });
    return {
      title: "The mail is stopped",
      text: `The account ${user.name} is sent no more mail of notifications. PATCH /api/v1/user/settings with email_notifications brings it back.`,
    };
  },
});

const confirming = (forge: Forge, user: User, email: string): LinkedAction => ({
  question: { title: "Confirm an address", text: `Is ${email} an address of the account ${user.name}?` },
  button: "Confirm it",
  async act() {
    await verifyEmail(forge, user, email);
    return { title: "The address is confirmed", text: `${email} is an address of ${user.name}.` };
  },
});
