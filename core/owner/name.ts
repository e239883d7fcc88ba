import { type ForgeError, invalid, unprocessable } from "../errors.ts";

const longestName = 40;
const reservedNames = new Set(
  (
    ". .. .well-known api metrics v2 assets attachments avatar avatars repo-avatars captcha login org repo user " +
    "admin devtest explore issues pulls milestones notifications favicon.ico manifest.json robots.txt " +
    "sitemap.xml ssh_info swagger.v1.json ghost gitea-actions forgejo-actions -"
  ).split(" "),
);
const reservedEndings = [".keys", ".gpg", ".rss", ".atom", ".png"];

/** Why a user or organization may not have this name (semantics §30), or undefined when it may. */
export function ownerNameProblem(
  name: string,
  field: string,
  { isDotAllowed }: { isDotAllowed: boolean },
): ForgeError | undefined {
  if (name === "") return invalid(field, "Required");
  if (name.length > longestName) return invalid(field, `MaxSize ${longestName}`);
  const lower = name.toLowerCase();
  if (reservedNames.has(lower)) return unprocessable(`${field}: the name ${name} is reserved`);
  const isWellFormed =
    /^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name) && !/[-._]{2}/.test(name) && !/[-._]$/.test(name);
  if (!isWellFormed || (!isDotAllowed && name.includes("."))) {
    return invalid(
      field,
      "AlphaDashDot: letters, digits and single - _ . between them, starting with a letter or digit",
    );
  }
  if (reservedEndings.some((ending) => lower.endsWith(ending))) {
    return unprocessable(`${field}: names that end like ${name} are reserved`);
  }
  return undefined;
}

/** 422: a user or an organization has this name, or had it within so many days. */
export function ownerNameTaken(name: string, keptDays = 0): ForgeError {
  const hint = keptDays === 0 ? "" : `; a former name stays with whose it was for ${keptDays} days`;
  return unprocessable(`user already exists [name: ${name}]${hint}`);
}
