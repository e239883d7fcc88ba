import { isIP } from "node:net";
import type { Client, Entry } from "ldapts";
import { unavailable } from "../errors.ts";
import type { DirectorySettings } from "./internal/directory-settings.ts";

/** The first login loads the library: most instances have no directory. */
const load = () => import("ldapts");
type Ldap = Awaited<ReturnType<typeof load>>;

/** The person behind an account of the directory. */
export interface DirectoryProfile {
  /** The login as the directory writes it: accounts are bound to it. */
  readonly loginName: string;
  /** Empty when the directory has none. */
  readonly email: string;
  readonly fullName: string;
  /** Undefined when the settings do not say who is one. */
  readonly isAdmin: boolean | undefined;
}

/** The result of a login. `refused` covers wrong passwords, unknown logins and accounts that may not log in alike. */
export type DirectoryAnswer =
  | { readonly kind: "in"; readonly profile: DirectoryProfile }
  | { readonly kind: "refused" };

const refused: DirectoryAnswer = { kind: "refused" };

/**
 * Asks the directory whether a login and password belong together: by binding as the DN made of the login, or by
 * searching for the one entry that the filter finds and binding as that. Unavailable when the directory does not answer
 * or rejects the service's own account: that is nobody's wrong password.
 */
export async function askDirectory(
  settings: DirectorySettings,
  login: string,
  password: string,
): Promise<DirectoryAnswer> {
  // A bind without a password succeeds for everybody (RFC 4513 §5.1.2).
  if (password === "" || login === "") return refused;
  const ldap = await load();
  const client = await connect(ldap, settings);
  try {
    const ask = settings.userDn === "" ? bySearch : byDn;
    return await ask({ ldap, client, settings, login, password });
  } catch (error) {
    throw error instanceof Refused ? unavailable(error.message) : silent(error);
  } finally {
    await client.unbind().catch(() => undefined);
  }
}

/** The service's own account was not taken. */
class Refused extends Error {}

const silent = (cause: unknown) =>
  unavailable("the directory that logins are checked against does not answer; try again later", { cause });

async function connect({ Client }: Ldap, settings: DirectorySettings): Promise<Client> {
  const { url, isStartTls, isCertificateChecked, timeoutMs } = settings;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const name = isIP(host) === 0 ? { servername: host } : {};
  const tls = { host, ...name, rejectUnauthorized: isCertificateChecked };
  const isSecure = url.protocol === "ldaps:";
  const client = new Client({
    url: `${url.protocol}//${url.host}`,
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    ...(isSecure ? { tlsOptions: { ...name, rejectUnauthorized: isCertificateChecked } } : {}),
  });
  try {
    if (isStartTls && !isSecure) await client.startTLS(tls);
    return client;
  } catch (error) {
    await client.unbind().catch(() => undefined);
    throw silent(error);
  }
}

interface Question {
  readonly ldap: Ldap;
  readonly client: Client;
  readonly settings: DirectorySettings;
  readonly login: string;
  readonly password: string;
}

async function byDn(question: Question): Promise<DirectoryAnswer> {
  const { settings, login } = question;
  const dn = settings.userDn.replaceAll("%s", () => escapedForDn(login));
  if (!(await isBound(question, dn))) return refused;
  const entry = await findOne(question, dn, "base", settings.filter);
  if (entry === undefined) return refused;
  return { kind: "in", profile: profileOf(question, entry, await isAdmin(question, dn)) };
}

async function bySearch(question: Question): Promise<DirectoryAnswer> {
  const { ldap, client, settings } = question;
  const { bindDn, bindPassword, searchBase, filter } = settings;
  if (bindDn !== "") {
    await client.bind(bindDn, bindPassword).catch((error: unknown) => {
      if (!isRefusal(ldap, error)) throw error;
      throw new Refused("the directory does not take LDAP_BIND_DN and LDAP_BIND_PASSWORD: ask the operator");
    });
  }
  const entry = await findOne(question, searchBase, "sub", filter);
  if (entry === undefined) return refused;
  const profile = profileOf(question, entry, await isAdmin(question, entry.dn));
  return (await isBound(question, entry.dn)) ? { kind: "in", profile } : refused;
}

async function isBound({ ldap, client, password }: Question, dn: string): Promise<boolean> {
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    if (isRefusal(ldap, error)) return false;
    throw error;
  }
}

/** The directory's answers to wrong passwords, unknown names, and accounts that are locked or may not bind. */
const isRefusal = (ldap: Ldap, error: unknown): boolean =>
  [
    ldap.InvalidCredentialsError,
    ldap.NoSuchObjectError,
    ldap.InvalidDNSyntaxError,
    ldap.InappropriateAuthError,
    ldap.ConstraintViolationError,
    ldap.InsufficientAccessError,
    ldap.UnwillingToPerformError,
  ].some((kind) => error instanceof kind);

/** The entry that a filter finds; none when it finds several: whose password it is would be a guess. */
async function findOne(
  { ldap, client, settings, login }: Question,
  base: string,
  scope: "base" | "sub",
  filter: string,
): Promise<Entry | undefined> {
  const { name, email, firstName, surname } = settings.attributes;
  const asked = {
    scope,
    filter: filter.replaceAll("%s", () => ldap.Filter.escape(login)),
    attributes: [name, email, firstName, surname],
    sizeLimit: 2,
    timeLimit: Math.ceil(settings.timeoutMs / 1_000),
  };
  try {
    const { searchEntries } = await client.search(base, asked);
    return searchEntries.length === 1 ? searchEntries[0] : undefined;
  } catch (error) {
    const isNone = error instanceof ldap.NoSuchObjectError || error instanceof ldap.SizeLimitExceededError;
    if (isNone) return undefined;
    throw error;
  }
}

async function isAdmin(question: Question, dn: string): Promise<boolean | undefined> {
  const { adminFilter } = question.settings;
  return adminFilter === "" ? undefined : (await findOne(question, dn, "base", adminFilter)) !== undefined;
}

function profileOf(
  { settings, login }: Question,
  entry: Entry,
  admin: boolean | undefined,
): DirectoryProfile {
  const { name, email, firstName, surname } = settings.attributes;
  const names = [firstOf(entry, firstName), firstOf(entry, surname)];
  return {
    loginName: firstOf(entry, name) || login,
    email: firstOf(entry, email),
    fullName: names.filter((part) => part !== "").join(" "),
    isAdmin: admin,
  };
}

/** The first value of an attribute, in any case; empty when there is none. */
function firstOf(entry: Entry, attribute: string): string {
  const [, value] =
    Object.entries(entry).find(([key]) => key.toLowerCase() === attribute.toLowerCase()) ?? [];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined ? "" : String(first).trim();
}

/** A value inside a DN (RFC 4514 §2.4): no character in it ends it or begins another part. */
const escapedForDn = (value: string): string =>
  Array.from(value, (sign, at) => {
    const isEdge = sign === " " && (at === 0 || at === value.length - 1);
    const isSpecial = isEdge || /[,+"\\<>;=#\p{Cc}]/u.test(sign);
    return isSpecial ? Buffer.from(sign).toString("hex").replace(/../g, "\\$&") : sign;
  }).join("");
