import { z } from "zod";
import { allowedHostProblem } from "../guarded-client/allowed-hosts.ts";
import { type Setting, setting } from "./setting.ts";
import { listOf } from "./shapes.ts";

const mostSources = 20;

/** Over the network only https: whoever can change an answer could sign in as anybody. */
const issuer = z.string().refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLoopback = ["127.0.0.1", "[::1]", "localhost"].includes(url?.hostname ?? "");
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback);
}, "issuer: expected the provider's address as it names itself, with https://");

const openIdSource = z.strictObject({
  /** In addresses, such as `/user/oauth2/<name>`; never changed, because providers know them. */
  name: z.string().regex(/^[A-Za-z0-9][\w-]{0,39}$/, "name: expected letters, digits, - and _"),
  /** On the sign-in page; absent: the name. */
  title: z.string().min(1).max(60).optional(),
  issuer,
  client_id: z.string().min(1),
  /** Absent: a public client. */
  client_secret: z.string().min(1).optional(),
  scopes: z.array(z.string().regex(/^[!#-[\]-~]+$/)).default(["profile", "email"]),
  /** Whether somebody's first login makes their account; else they sign in by password once, which links theirs. */
  auto_register: z.boolean().default(false),
  /** The claim that names a new account. */
  username_claim: z.string().min(1).default("preferred_username"),
  skip_local_2fa: z.boolean().default(false),
  /** How long each answer of the provider may take. */
  timeout_seconds: z.int().min(1).max(20).default(5),
});

/** A provider of OpenID Connect whose people may sign in. */
export type OpenIdSource = z.infer<typeof openIdSource>;

const openIdSources = z.string().transform((text, context): OpenIdSource[] => {
  const parsed = z.array(openIdSource).max(mostSources).safeParse(jsonIn(text));
  const names = parsed.data?.map(({ name }) => name.toLowerCase()) ?? [];
  const problem = parsed.success
    ? new Set(names).size < names.length && "two sources have one name"
    : `${parsed.error.issues[0]?.path.join(".")}: ${parsed.error.issues[0]?.message}`;
  if (problem === false) return parsed.data ?? [];
  context.addIssue(`expected a list of sources in JSON (docs/operations.md): ${problem}`);
  return z.NEVER;
});

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the check of its shape names the problem
  }
}

/** Providers whose people may sign in on pages. */
export const openIdSettings = {
  openIdSources: {
    ...setting<OpenIdSource[]>(
      "OPENID_CONNECT_SOURCES",
      openIdSources,
      [],
      "providers of OpenID Connect whose people may sign in, in JSON",
    ),
    isSecret: true, // clients' secrets stand in it
  } satisfies Setting<OpenIdSource[]>,
  openIdAllowedHostList: setting<string[]>(
    "OPENID_CONNECT_ALLOWED_HOST_LIST",
    listOf(allowedHostProblem),
    ["external"],
    "where these providers may be asked: external, private, loopback, *, host names with wildcards, networks",
  ),
};
