/** The service that is probed. */
export interface ProbedService {
  /** The public address, without a slash at its end. */
  readonly url: string;
  /**
   * A token with the scopes write:repository, write:user and read:user; probes that need one are skipped without it.
   */
  readonly token?: string;
}

/** One requirement on the public address; `run` answers what is wrong and what to change, or undefined. */
export interface Probe {
  readonly claim: string;
  readonly run: (service: ProbedService) => Promise<string | undefined>;
}

const timeoutMs = 30_000;

/** Asks without following redirects: git and clients with credentials don't survive them. */
export function ask({ url }: ProbedService, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url + path, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs), ...init });
}

async function jsonOf(response: Response): Promise<Record<string, unknown> | undefined> {
  const text = await response.text();
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const isAnswering: Probe = {
  claim: "the service answers and reaches its table",
  async run(service) {
    const response = await ask(service, "/api/healthz");
    const body = await jsonOf(response);
    if (response.status === 200 && body?.status === "pass") return undefined;
    if (body?.status === "fail")
      return "it does not reach its table: look for health:table-unreachable in its log";
    const { pathname } = new URL(service.url);
    const path = pathname === "/" ? "" : `, without ${pathname} at their beginning`;
    return `GET /api/healthz answered ${response.status}: is this the address of the service, and does the proxy lead all paths to it${path}?`;
  },
};

const isAtItsAddress: Probe = {
  claim: "links and clone URLs start with this address",
  async run(service) {
    const body = await jsonOf(await ask(service, "/api/v1/nothing"));
    const named = String(body?.url ?? "").replace(/\/api\/swagger$/, "");
    return named === service.url
      ? undefined
      : `the service calls itself ${named}: set ROOT_URL to ${service.url}`;
  },
};

const keepsPaths: Probe = {
  claim: "encoded slashes and question marks arrive untouched",
  async run(service) {
    const body = await jsonOf(await ask(service, "/api/v1/repos/nobody/a%3Fb%2Fc"));
    if (String(body?.errors).includes("a?b/c")) return undefined;
    return "the proxy decodes %2F or %3F: have it pass the path as it came (nginx: proxy_pass without a path)";
  },
};

const keepsChallenge: Probe = {
  claim: "git is asked for credentials",
  async run(service) {
    const response = await ask(service, "/nobody/nothing.git/info/refs?service=git-upload-pack");
    if (/^basic/i.test(response.headers.get("www-authenticate") ?? "")) return undefined;
    const renamed = [...response.headers.keys()].find((name) => name.endsWith("www-authenticate"));
    return `status ${response.status}, and no WWW-Authenticate${renamed === undefined ? "" : ` but ${renamed}`}: git then sends no password; let the header pass under its name`;
  },
};

const isUncached: Probe = {
  claim: "nothing keeps answers",
  async run(service) {
    const times = new Set<unknown>();
    for (let round = 0; round < 3; round += 1) {
      const body = await jsonOf(await ask(service, "/api/healthz"));
      times.add(JSON.stringify(body?.checks));
    }
    return times.size > 1 ? undefined : "three answers were the same one: turn the cache in front off";
  },
};

const isEncrypted: Probe = {
  claim: "passwords cross no network unencrypted",
  async run({ url }) {
    const { protocol, hostname } = new URL(url);
    const isHere = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
    return protocol === "https:" || isHere ? undefined : "the address is plain http: put TLS in front of it";
  },
};

const logsIn: Probe = {
  claim: "the token is accepted in its header",
  async run(service) {
    const response = await ask(service, "/api/v1/user", {
      headers: { authorization: `token ${service.token}` },
    });
    if (response.status === 200) return undefined;
    return `GET /api/v1/user answered ${response.status}: is the token right, and does the proxy pass Authorization?`;
  },
};

/** Those that anybody may run, in the order in which they make sense. */
export const openProbes: readonly Probe[] = [
  isAnswering,
  isAtItsAddress,
  keepsPaths,
  keepsChallenge,
  isUncached,
  isEncrypted,
];

/** Those that need a token, beside the pushing one. */
export const tokenProbes: readonly Probe[] = [logsIn];
