import { readFileSync } from "node:fs";
import { createToken } from "#core/token/token";
import { madeUpPassword, setPassword } from "#core/user/administrator";
import { createUser } from "#core/user/create";
import { findUserByName } from "#core/user/find";
import { removeSecondFactor } from "#core/user/second-factor";
import { StartError } from "../start-error.ts";
import type { AdminCommand, Options } from "./admin.ts";

const string = { type: "string" } as const;
const boolean = { type: "boolean" } as const;

const create: AdminCommand = {
  synopsis: "--username <name> --email <address> [--password <password> | --password -] [--admin]",
  about: "makes an account; without --password one is made up and shown, - reads it from standard input",
  options: { username: string, email: string, password: string, admin: boolean },
  required: ["username", "email"],
  async perform(forge, options) {
    const { password, shown } = chosenPassword(options);
    const name = text(options.username);
    const isAdmin = options.admin === true;
    await createUser(forge, { name, email: text(options.email), password, isAdmin });
    return `${isAdmin ? "The administrator" : "The user"} ${name} was made${shown}.`;
  },
};

const changePassword: AdminCommand = {
  synopsis: "--username <name> [--password <password> | --password -] [--must-change-password]",
  about: "gives an account a new password; without --password one is made up and shown",
  options: { username: string, password: string, "must-change-password": boolean },
  required: ["username"],
  async perform(forge, options) {
    const { password, shown } = chosenPassword(options);
    const mustChange = options["must-change-password"] === true;
    const { name } = await setPassword(forge, text(options.username), { password, mustChange });
    return `${name} has a new password${shown}. Tokens of the account go on working.`;
  },
};

const generateAccessToken: AdminCommand = {
  synopsis: "--username <name> [--token-name <name>] [--scopes <scope,…>]",
  about: "makes an access token and prints it alone; its name is operator and its scope all unless given",
  options: { username: string, "token-name": string, scopes: string },
  required: ["username"],
  async perform(forge, options) {
    const name = text(options.username);
    const user = await findUserByName(forge, name);
    if (user === undefined) throw new StartError(`there is no user ${name}.`);
    const scopes = text(options.scopes, "all")
      .split(",")
      .map((scope) => scope.trim());
    const made = await createToken(forge, user, { name: text(options["token-name"], "operator"), scopes });
    return made.text;
  },
};

const secondFactorRemoval: AdminCommand = {
  synopsis: "--username <name>",
  about: "removes the second factor of an account whose device and spare codes are lost",
  options: { username: string },
  required: ["username"],
  async perform(forge, options) {
    const name = text(options.username);
    const user = await findUserByName(forge, name);
    if (user === undefined) throw new StartError(`there is no user ${name}.`);
    await removeSecondFactor(forge, user);
    return `${user.name} logs in by password alone again.`;
  },
};

/** By the words that call them, which are the family's. */
export const userCommands: Readonly<Record<string, AdminCommand>> = {
  "user create": create,
  "user change-password": changePassword,
  "user generate-access-token": generateAccessToken,
  "user remove-second-factor": secondFactorRemoval,
};

const text = (value: string | boolean | undefined, otherwise = "") =>
  typeof value === "string" ? value : otherwise;

function chosenPassword(options: Options): { password: string; shown: string } {
  const given = text(options.password);
  if (given === "-") return { password: readFileSync(0, "utf8").replace(/\r?\n$/, ""), shown: "" };
  if (given !== "") return { password: given, shown: "" };
  const password = madeUpPassword();
  return { password, shown: `, the password ${password} (shown this once)` };
}
