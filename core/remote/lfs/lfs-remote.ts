import { authorization, type RemoteCredentials } from "../../git/client/transport.ts";
import type { GuardedClient, StreamingClient } from "../../guarded-client/guarded-client.ts";
import type { GivenRemote } from "../remote-address.ts";

/** A Git LFS server elsewhere, and the way to it. */
export interface LfsRemote {
  readonly client: GuardedClient & StreamingClient;
  /** Its routes lie below; no slash at the end. */
  readonly url: string;
  /** For the origin of `url` alone. */
  readonly credentials?: RemoteCredentials;
}

/** The media type of all JSON (semantics §55). */
export const lfsMediaType = "application/vnd.git-lfs+json";

/** The LFS server of a repository that is cloned from here, as clients of Git LFS derive it. */
const lfsUrlOf = (url: string): string => `${url.replace(/\.git$/, "")}.git/info/lfs`;

/**
 * The LFS server of a remote repository, at `url` when another than the usual one is named. The credentials were given
 * for the repository: another origin doesn't get them.
 */
export function lfsRemote(
  client: LfsRemote["client"],
  { url: repositoryUrl, credentials }: GivenRemote,
  url = lfsUrlOf(repositoryUrl),
): LfsRemote {
  const isTheirs = credentials !== undefined && isSameOrigin(url, repositoryUrl);
  return { client, url, ...(isTheirs && { credentials }) };
}

const isSameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;

/** The header that logs in at an address: none unless it has the server's origin. */
export const authorizationAt = ({ url, credentials }: LfsRemote, address: string): Record<string, string> =>
  isSameOrigin(url, address) ? authorization(credentials) : {};
