import { unprocessable } from "#core/errors";
import { addEmails, listAllEmails, listEmails, removeEmails } from "#core/user/emails";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { presentEmail } from "./present.ts";
import { CreateEmailOption, DeleteEmailOption, Email } from "./schema.ts";

const own = { tag: "user", path: "/user/emails", needs: { scope: ["user"], login: true } } as const;

const userListEmails = endpoint({
  ...own,
  id: "userListEmails",
  method: "get",
  summary: "List the caller's e-mail addresses, the primary one first",
  status: 200,
  returns: { list: Email },
  errors: [401, 403],
  handle: async ({ forge, actor, page }) => {
    const emails = await listEmails(forge, actor.user.id);
    return wholeUnlessAsked(
      emails.map((email) => presentEmail(email, actor.user)),
      page,
    );
  },
});

const userAddEmail = endpoint({
  ...own,
  id: "userAddEmail",
  method: "post",
  summary: "Add e-mail addresses to the caller's, all or none; answers all that they have then",
  description:
    "Where the installation sends mail, each is mailed a link: verified is false until it is opened. Elsewhere they " +
    "count as verified.",
  body: CreateEmailOption,
  status: 201,
  returns: { json: Email.array() },
  errors: [401, 403, 409, 422],
  handle: async ({ forge, actor, body }) => {
    await addEmails(forge, actor.user, body.emails);
    const emails = await listEmails(forge, actor.user.id);
    return emails.map((email) => presentEmail(email, actor.user));
  },
});

const userDeleteEmail = endpoint({
  ...own,
  id: "userDeleteEmail",
  method: "delete",
  summary: "Take e-mail addresses from the caller's; the primary one stays",
  body: DeleteEmailOption,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, actor, body }) => {
    await removeEmails(forge, actor.user, body.emails);
    return undefined;
  },
});

const ofUser = {
  tag: "admin",
  path: "/admin/users/{username}/emails",
  needs: { scope: ["admin"], siteAdmin: true, user: "account" },
} as const;

const adminListUserEmails = endpoint({
  ...ofUser,
  id: "adminListUserEmails",
  method: "get",
  summary: "List a user's e-mail addresses, the primary one first",
  status: 200,
  returns: { list: Email },
  errors: [401, 403, 404],
  handle: async ({ forge, user, page }) => {
    const emails = await listEmails(forge, user.id);
    return wholeUnlessAsked(
      emails.map((email) => presentEmail(email, user)),
      page,
    );
  },
});

const adminDeleteUserEmails = endpoint({
  ...ofUser,
  id: "adminDeleteUserEmails",
  method: "delete",
  summary: "Take e-mail addresses from a user; the primary one stays",
  body: DeleteEmailOption,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, user, body }) => {
    await removeEmails(forge, user, body.emails, unprocessable);
    return undefined;
  },
});

const all = { tag: "admin", method: "get", needs: { scope: ["admin"], siteAdmin: true } } as const;

const adminGetAllEmails = endpoint({
  ...all,
  id: "adminGetAllEmails",
  path: "/admin/emails",
  summary: "List all e-mail addresses of the instance, in their order",
  status: 200,
  returns: { list: Email },
  errors: [401, 403],
  handle: async ({ forge, page }) => {
    const { items, total } = await listAllEmails(forge, "", page);
    return { items: items.map(({ address, user }) => presentEmail(address, user)), total };
  },
});

const adminSearchEmails = endpoint({
  ...all,
  id: "adminSearchEmails",
  path: "/admin/emails/search",
  summary: "Search for e-mail addresses",
  cost: "heavy",
  query: { q: text.openapi({ description: "a part of the address, or of its owner's login or full name" }) },
  status: 200,
  returns: { list: Email },
  errors: [401, 403, 422],
  handle: async ({ forge, query, page }) => {
    const { items, total } = await listAllEmails(forge, query.q ?? "", page);
    return { items: items.map(({ address, user }) => presentEmail(address, user)), total };
  },
});

export const emailEndpoints = [
  userListEmails,
  userAddEmail,
  userDeleteEmail,
  adminListUserEmails,
  adminDeleteUserEmails,
  adminGetAllEmails,
  adminSearchEmails,
];
