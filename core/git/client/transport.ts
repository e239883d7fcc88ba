/** A request to a remote. The transport bounds its time, and the bytes of its answer. */
export interface RemoteRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly totalTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly maxRedirects: number;
  readonly signal?: AbortSignal;
}

/** An answer as it comes, or why there is none. The receiver reads the body or closes it. */
export type RemoteAnswer =
  | {
      readonly kind: "opened";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Its origin after redirects; without credentials. */
      readonly url: string;
      readonly body: AsyncIterable<Buffer>;
      close(): void;
    }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "no-answer"; readonly reason: string };

/** The way to remotes: the guarded client's streaming half is one. */
export interface GitTransport {
  open(request: RemoteRequest): Promise<RemoteAnswer>;
}

/** Bounds on what one remote may send and cost. */
export interface RemoteLimits {
  /** For one request with its answer. */
  readonly totalTimeoutMs: number;
  /** For silence. */
  readonly idleTimeoutMs: number;
  readonly refs: number;
  /** Of an answer that is no pack. */
  readonly listingBytes: number;
  readonly packBytes: number;
}

/** The bounds when the caller names none. */
const defaultRemoteLimits: RemoteLimits = {
  totalTimeoutMs: 10 * 60_000,
  idleTimeoutMs: 60_000,
  refs: 200_000,
  listingBytes: 64 * 2 ** 20,
  packBytes: 8 * 2 ** 30,
};

/** The credentials for a remote: a name and password, or a token, which is sent as a password. */
export type RemoteCredentials =
  | { readonly username: string; readonly password: string }
  | { readonly token: string };

/** A remote repository and how to speak with it. */
export interface RemoteAddress {
  readonly transport: GitTransport;
  /** http or https, as in a clone; without credentials. */
  readonly url: string;
  readonly credentials?: RemoteCredentials;
  readonly limits?: Partial<RemoteLimits>;
  readonly signal?: AbortSignal;
}

/** The bounds that hold for a remote. */
export const limitsOf = ({ limits }: Pick<RemoteAddress, "limits">): RemoteLimits => ({
  ...defaultRemoteLimits,
  ...limits,
});

/** The header for the credentials; most forges take a token as the password of any name. */
export function authorization(credentials: RemoteCredentials | undefined): Record<string, string> {
  if (credentials === undefined) return {};
  const pair =
    "token" in credentials
      ? `oauth2:${credentials.token}`
      : `${credentials.username}:${credentials.password}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}
