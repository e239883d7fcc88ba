import { changeOwnPassword } from "#core/user/own-password";
import {
  enrollSecondFactor,
  findSecondFactor,
  removeSecondFactor,
  turnOnSecondFactor,
} from "#core/user/second-factor";
import { z } from "#zod";
import { endpoint } from "../../http/endpoint.ts";

/** Operations by which an owner secures their account, because there is no site to click on: operations of our own. */

const ChangePasswordOption = z
  .object({ password: z.string().min(1).openapi({ description: "the new password" }) })
  .openapi("ChangePasswordOption");

const userChangePassword = endpoint({
  id: "userChangePassword",
  tag: "user",
  method: "put",
  path: "/user/password",
  summary: "Change the caller's password",
  description:
    "With name and present password (Basic), never with a token. Open to accounts that must change their password.",
  cost: "password",
  needs: { scope: ["user"], login: true, ownPassword: "to-change-it" },
  body: ChangePasswordOption,
  status: 204,
  errors: [401, 403, 409, 422],
  handle: async ({ forge, actor, body }) => {
    await changeOwnPassword(forge, actor.user, body.password);
    return undefined;
  },
});

const SecondFactor = z
  .object({
    enabled: z.boolean(),
    scratch_codes_left: z.int().openapi({ description: "spare codes that were not used yet" }),
  })
  .openapi("SecondFactor");
const SecondFactorSecret = z
  .object({
    secret: z.string().openapi({ description: "base32, for typing it into a device" }),
    url: z.string().openapi({ description: "otpauth://, for a QR code" }),
  })
  .openapi("SecondFactorSecret");
const SecondFactorCodes = z.object({ scratch_codes: z.array(z.string()) }).openapi("SecondFactorCodes");
const SecondFactorCode = z
  .object({ code: z.string().min(1).openapi({ description: "the six digits that the device shows" }) })
  .openapi("SecondFactorCode");

const factor = {
  tag: "user",
  path: "/user/two_factor",
  needs: { scope: ["user"], login: true, ownPassword: true },
} as const;

const userGetSecondFactor = endpoint({
  ...factor,
  needs: { scope: ["user"], login: true },
  id: "userGetSecondFactor",
  method: "get",
  summary: "Tell whether the caller's account has a second factor",
  status: 200,
  returns: { json: SecondFactor },
  errors: [401, 403],
  handle: async ({ forge, actor }) => {
    const found = await findSecondFactor(forge, actor.user.id);
    return { enabled: found?.isOn === true, scratch_codes_left: found?.scratchDigests.length ?? 0 };
  },
});

const userCreateSecondFactor = endpoint({
  ...factor,
  id: "userCreateSecondFactor",
  method: "post",
  summary: "Begin to set up a second factor (TOTP)",
  description:
    "Answers the secret, shown this once. It counts when PUT was sent a code that a device made of it.",
  status: 201,
  returns: { json: SecondFactorSecret },
  isSecret: true,
  errors: [401, 403, 409],
  handle: async ({ forge, actor }) => enrollSecondFactor(forge, actor.user),
});

const userEnableSecondFactor = endpoint({
  ...factor,
  id: "userEnableSecondFactor",
  method: "put",
  summary: "Turn the second factor on, with a code of the device",
  description:
    "From then on the password counts with a code in X-Forgejo-OTP alone. Answers ten spare codes.",
  body: SecondFactorCode,
  status: 200,
  returns: { json: SecondFactorCodes },
  isSecret: true,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, actor, body }) => ({
    scratch_codes: [...(await turnOnSecondFactor(forge, actor.user, body.code))],
  }),
});

const userDeleteSecondFactor = endpoint({
  ...factor,
  id: "userDeleteSecondFactor",
  method: "delete",
  summary: "Remove the caller's second factor",
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor }) => {
    await removeSecondFactor(forge, actor.user);
    return undefined;
  },
});

const adminDeleteSecondFactor = endpoint({
  id: "adminDeleteSecondFactor",
  tag: "admin",
  method: "delete",
  path: "/admin/users/{username}/two_factor",
  summary: "Remove the second factor of a user who lost their device",
  description:
    "With the administrator's name and password (and code), never with a token or as somebody else.",
  needs: { scope: ["admin"], siteAdmin: true, login: true, ownPassword: true, user: "visible" },
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, user }) => {
    await removeSecondFactor(forge, user);
    return undefined;
  },
});

export const accountEndpoints = [
  userChangePassword,
  userGetSecondFactor,
  userCreateSecondFactor,
  userEnableSecondFactor,
  userDeleteSecondFactor,
  adminDeleteSecondFactor,
];
