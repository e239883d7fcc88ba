import { type ForgeError, invalid } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { ownerNameProblem } from "../owner/name.ts";
import { isNoReplyOfOthers } from "./email.ts";
import type { User } from "./user.table.ts";

const longestEmail = 254;
const longestPassword = 255;
const longest = {
  fullName: 100,
  description: 255,
  website: 255,
  location: 50,
  pronouns: 50,
  language: 35,
  theme: 255,
  loginName: 255,
} as const;
const fieldNames = {
  fullName: "FullName",
  description: "Description",
  website: "Website",
  location: "Location",
  pronouns: "Pronouns",
  language: "Language",
  theme: "Theme",
  loginName: "LoginName",
} as const;

/** Why a user may not have this name (semantics §30), or undefined when they may. */
export const userNameProblem = ({ config }: Forge, name: string, field: string): ForgeError | undefined =>
  ownerNameProblem(name, field, { isDotAllowed: config.allowDotsInUsernames });

/** Why this can't be an address of a user, or undefined when it can. */
export function emailProblem(
  { config }: Pick<Forge, "config">,
  email: string,
  user: Pick<User, "name">,
): ForgeError | undefined {
  if (email.length > longestEmail) return invalid("Email", `MaxSize ${longestEmail}`);
  if (!isEmailAddress(email)) return invalid("Email", "Email: expected an address such as name@example.com");
  return isNoReplyOfOthers(config, email, user)
    ? invalid("Email", "addresses of this domain stand for users who hide theirs")
    : undefined;
}

/** Why a password may not be used, or undefined when it may. */
export function passwordProblem(forge: Forge, password: string): ForgeError | undefined {
  const least = forge.config.minPasswordLength;
  if (password.length < least) return invalid("Password", `MinSize: at least ${least} characters`);
  return password.length > longestPassword ? invalid("Password", `MaxSize ${longestPassword}`) : undefined;
}

/** Why a user may not have this description (semantics §1.5), or undefined when they may. */
export function userFieldProblem(fields: Partial<Pick<User, keyof typeof longest>>): ForgeError | undefined {
  const names = Object.keys(longest) as (keyof typeof longest)[];
  const tooLong = names.find((name) => (fields[name] ?? "").length > longest[name]);
  if (tooLong !== undefined) return invalid(fieldNames[tooLong], `MaxSize ${longest[tooLong]}`);
  const { website = "" } = fields;
  const isUrl = website === "" || (URL.canParse(website) && /^https?:$/.test(new URL(website).protocol));
  return isUrl ? undefined : invalid("Website", "Url: expected a URL that starts with http:// or https://");
}

/**
 * A syntax check only: one @, no spaces or control characters, nothing empty between dots, a host of letters, digits and
 * hyphens.
 */
function isEmailAddress(text: string): boolean {
  const [local = "", host = "", ...more] = text.split("@");
  return (
    more.length === 0 &&
    !text.startsWith("-") &&
    local.split(".").every((part) => /^[^\s"<>()[\],;:\\\p{Cc}]+$/u.test(part)) &&
    host.split(".").every((label) => /^[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?$/u.test(label))
  );
}

/**
 * Whether the instance accepts addresses of this domain (semantics §26): it is on the allowlist, if any, and not
 * refused.
 */
export function isDomainAllowed({ config }: Pick<Forge, "config">, email: string): boolean {
  const { emailDomainAllowlist: allowed, emailDomainBlocklist: blocked } = config;
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const isOn = (list: readonly string[]) => list.some((entry) => isDomainIn(domain, entry.toLowerCase()));
  return (allowed.length === 0 || isOn(allowed)) && !isOn(blocked);
}

/** `*.example.com` stands for everything under it. */
const isDomainIn = (domain: string, entry: string): boolean =>
  entry.startsWith("*.") ? domain.endsWith(entry.slice(1)) : domain === entry;
