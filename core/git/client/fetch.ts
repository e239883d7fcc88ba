import { defined } from "../../defined.ts";
import type { IngestLimits } from "../ingest/ingest-types.ts";
import type { GitRepository } from "../repository.ts";
import { listRemoteRefs } from "./list-refs.ts";
import { openRemote, type Remote, type RemoteRefs } from "./remote.ts";
import { RemoteError, type RemoteOutcome, remoteOutcome } from "./remote-failure.ts";
import { limitsOf, type RemoteAddress } from "./transport.ts";

/** How packs of a remote are taken. */
export interface FetchOptions {
  /** Only refs whose names begin with one of these; all when absent. */
  readonly prefixes?: readonly string[];
  readonly limits?: Partial<IngestLimits>;
  /** Where packs are spooled; absent: the system's temporary folder. */
  readonly temporaryFolder?: string;
  readonly signal?: AbortSignal;
}

/** The refs of a remote. */
export const readRemoteRefs = (
  address: RemoteAddress,
  prefixes?: readonly string[],
): Promise<RemoteOutcome<RemoteRefs & Pick<Remote, "format">>> =>
  remoteOutcome(async () => {
    const remote = await openRemote(address, "git-upload-pack");
    return { format: remote.format, ...(await listRemoteRefs(remote, prefixes)) };
  });

/** Opens a remote for fetching into a repository of the same object format. Throws RemoteError. */
export async function openFor(address: RemoteAddress, { format }: GitRepository): Promise<Remote> {
  const remote = await openRemote(address, "git-upload-pack");
  if (remote.format === format) return remote;
  throw new RemoteError(
    "object-format",
    `the remote uses ${remote.format} object ids, and this repository ${format}: create it anew as such`,
  );
}

/** Ingest must not take more than may be received. */
export const boundedBy = (address: RemoteAddress, options: FetchOptions): FetchOptions => ({
  ...options,
  limits: { packBytes: limitsOf(address).packBytes, ...options.limits },
  ...defined({ signal: address.signal }),
});
