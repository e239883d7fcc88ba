import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { RemoteError } from "../git/client/remote-failure.ts";
import type { RemoteAddress, RemoteCredentials } from "../git/client/transport.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { GivenRemote } from "../remote/remote-address.ts";
import { addressFor, openCredentials } from "../remote/remote-client.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { keyText } from "../table/write.ts";
import { ghostUser } from "../user/system-users.ts";
import type { User } from "../user/user.table.ts";
import { type MirrorSource, mirrorSecretContext, mirrorSourceKey } from "./mirror.table.ts";

/** A live repository, and where it comes from. */
export interface SourcedRepository {
  readonly repository: Repository;
  readonly source: MirrorSource;
}

/** The repository and its source; undefined when it is gone, or comes from nowhere. One request. */
export async function findSource(
  { table }: Pick<Forge, "table">,
  repositoryId: number,
): Promise<SourcedRepository | undefined> {
  const keys = [repositoryKey(repositoryId), mirrorSourceKey(repositoryId)];
  const found = await table.getAll(keys);
  const repository = found.get(keyText(repositoryKey(repositoryId))) as Repository | undefined;
  const source = found.get(keyText(mirrorSourceKey(repositoryId))) as MirrorSource | undefined;
  return repository?.state === "live" && source !== undefined ? { repository, source } : undefined;
}

/** Whether the repository still takes what its source has. */
export const isFollowing = ({ isMirror, isMigrating }: Repository): boolean =>
  isMirror || isMigrating === true;

/** Where the source is, with its credentials in the clear. Throws RemoteError when they can't be opened. */
export function sourceRemote(forge: Forge, source: MirrorSource): GivenRemote {
  const credentials = credentialsOf(forge, source);
  return credentials === undefined ? { url: source.url } : { url: source.url, credentials };
}

/** The source as the git client takes it, with its credentials. `url` differs for the wiki. Throws RemoteError. */
export function sourceAddress(forge: Forge, source: MirrorSource, url = source.url): RemoteAddress {
  const address = addressFor(forge, { ...sourceRemote(forge, source), url });
  return { ...address, limits: { packBytes: forge.config.gitMaxPackBytes } };
}

function credentialsOf(
  forge: Forge,
  { repositoryId, credentials }: MirrorSource,
): RemoteCredentials | undefined {
  try {
    return openCredentials(forge, mirrorSecretContext(repositoryId), credentials);
  } catch (error) {
    forge.log.error("mirror:credentials-unreadable", { repositoryId, error });
    throw new RemoteError("unauthorized", "the credentials can't be read any more: bring it over anew");
  }
}

/** Whose pushes a sync's are: the user who set it up, or the ghost once they are gone. */
export async function mirrorActor({ table }: Pick<Forge, "table">, { userId }: MirrorSource): Promise<Actor> {
  const user = await table.get(ownerKey(userId));
  return { user: user?.kind === "user" ? (user as User) : ghostUser };
}
