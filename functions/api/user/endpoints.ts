import * as users from "#core/user/user";
import { endpoint } from "../endpoint.ts";
import { secondsFrom, viewOf } from "../view.ts";
import { presentUser } from "./present.ts";
import { CreateUserOption, User } from "./schema.ts";

const adminCreateUser = endpoint({
  id: "adminCreateUser",
  tag: "admin",
  method: "post",
  path: "/admin/users",
  summary: "Create a user",
  needs: { scope: ["admin"], siteAdmin: true },
  body: CreateUserOption,
  status: 201,
  returns: { json: User },
  errors: [401, 403, 422],
  handle: async (request) => {
    const { body, forge } = request;
    const created = await users.create(forge, {
      name: body.username,
      email: body.email,
      mustChangePassword: body.must_change_password ?? true,
      ...(body.password === undefined ? {} : { password: body.password }),
      ...(body.full_name === undefined ? {} : { fullName: body.full_name }),
      ...(body.restricted === undefined ? {} : { isRestricted: body.restricted }),
      ...(body.source_id === undefined ? {} : { loginSourceId: body.source_id }),
      ...(body.login_name === undefined ? {} : { loginName: body.login_name }),
      ...(body.visibility ? { visibility: body.visibility } : {}),
      ...(body.created_at === undefined ? {} : { createdAt: secondsFrom(body.created_at) }),
    });
    return presentUser(viewOf(request), created);
  },
});

const userGetCurrent = endpoint({
  id: "userGetCurrent",
  tag: "user",
  method: "get",
  path: "/user",
  summary: "Get the authenticated user",
  needs: { scope: ["user"], login: true },
  status: 200,
  returns: { json: User },
  errors: [401, 403],
  handle: async (request) => presentUser(viewOf(request), request.actor.user),
});

const userGet = endpoint({
  id: "userGet",
  tag: "user",
  method: "get",
  path: "/users/{username}",
  summary: "Get a user",
  needs: { scope: ["user"], user: "visible" },
  status: 200,
  returns: { json: User },
  errors: [404],
  handle: async (request) => presentUser(viewOf(request), request.user),
});

export const userEndpoints = [adminCreateUser, userGetCurrent, userGet];
