import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fetchSlice } from "#core/git/client/fetch-slice";
import type { RemoteRefs } from "#core/git/client/remote";
import type { RemoteOutcome } from "#core/git/client/remote-failure";
import { beginFetch, collectFetch } from "#core/git/client/staged-fetch";
import type { RemoteAddress } from "#core/git/client/transport";
import type { ObjectFormat } from "#core/git/format/object-format";
import type { IngestedPack } from "#core/git/ingest/ingest-types";
import { newPackOf } from "#core/git/ingest/take-pack";
import { commitPush } from "#core/git/store/push/commit-push";
import { stagedPacks } from "#core/git/store/staged-packs";
import { type OpenRepository, openRepository } from "#core/git/store/store";
import { parseAllowedHosts } from "#core/guarded-client/allowed-hosts";
import { createGuardedClient } from "#core/guarded-client/guarded-client";
import { type GitServer, startGitServer } from "#tests/git/http/git-server";
import { git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import { generateRepository } from "#tests/support/git/git-generator";
import { createHttpBackend } from "#tests/support/git/http-backend";
import { onFileFinished } from "#tests/support/suite/file-end";

/** The guarded client as it is allowed to reach this machine. */
export const transport = createGuardedClient({ allowed: parseAllowedHosts("ALLOWED", ["loopback"]) });

export const addressOf = (url: string, more: Partial<RemoteAddress> = {}): RemoteAddress => ({
  transport,
  url,
  ...more,
});

/** Starts a server for the file; answers its URL. */
export async function listening(server: Server): Promise<string> {
  onFileFinished(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * A repository behind `git http-backend`, which takes pushes; of version 0 where the newer ones are not heard. `like` is a
 * bare repository that it begins as a copy of, which takes no process of git.
 */
export async function realRemote(
  format: ObjectFormat,
  options: { objects?: number; version?: 0 | 2; like?: string } = {},
): Promise<{ folder: string; url: string; server: Server }> {
  const root = await temporaryFolder("file");
  const folder = join(root, "remote.git");
  if (options.like !== undefined) await cp(options.like, folder, { recursive: true });
  else if (options.objects === undefined) {
    await git(root, ["init", "-q", "--bare", "-b", "main", `--object-format=${format}`, folder]);
  } else await generateRepository({ folder, objects: options.objects, format });
  const server = createHttpBackend(root);
  if (options.version === 0) {
    server.prependListener("request", (request) => {
      delete request.headers["git-protocol"];
    });
  }
  return { folder, url: `${await listening(server)}/remote.git`, server };
}

let shared: Promise<GitServer> | undefined;

/** Our own server, one for the file. */
export function ourServer(): Promise<GitServer> {
  if (shared === undefined) {
    const starting = startGitServer({ simulation: false });
    shared = starting;
    onFileFinished(async () => {
      shared = undefined;
      await (await starting).stop();
    });
  }
  return shared;
}

/** Opens a repository of our server anew. */
export async function opened(id: number): Promise<OpenRepository> {
  const repository = await openRepository((await ourServer()).forge, id);
  if (repository === undefined) throw new Error(`no repository ${id}`);
  return repository;
}

/** An empty repository of our server. */
export async function emptyRepository(format: ObjectFormat) {
  const made = await (await ourServer()).create(`r${Math.random()}`, { format });
  return { ...made, repository: await opened(made.id) };
}

/** What a repository lacks of a remote, as mirrors fetch it: in slices, which are then collected. */
export async function fetchRemote(
  address: RemoteAddress,
  repository: OpenRepository,
): Promise<RemoteOutcome<{ refs: RemoteRefs; pack?: IngestedPack; dispose(): Promise<void> }>> {
  const packs = stagedPacks((await ourServer()).forge, repository);
  let staged = beginFetch(repository);
  for (;;) {
    const slice = await fetchSlice(packs, address, repository, staged);
    if (!slice.ok) return slice;
    staged = slice.value.staged;
    if (!slice.value.isComplete) continue;
    const collected = await collectFetch(packs, repository, staged);
    await packs.discard(staged.id);
    if (!collected.ok) return collected;
    return { ok: true, value: { refs: slice.value.refs, ...collected.value } };
  }
}

/** Lands refs as a mirror would: whatever the remote has. */
export async function land(
  repository: OpenRepository,
  refs: readonly { readonly name: string; readonly id: string }[],
  pack: IngestedPack | undefined,
): Promise<OpenRepository> {
  const changes = refs.flatMap(({ name, id }) => {
    const old = repository.refs.find(name)?.id;
    return old === id ? [] : [{ name, new: id, ...(old !== undefined && { old }) }];
  });
  const { forge } = await ourServer();
  const outcome = await commitPush(forge, repository.root.repositoryId, {
    changes,
    pusherId: 1,
    ...(pack && { pack: newPackOf(pack) }),
  });
  if (outcome.kind !== "done") throw new Error(outcome.kind);
  const refused = outcome.results.filter(({ refusal }) => refusal !== undefined);
  if (refused.length > 0) throw new Error(JSON.stringify(refused));
  return opened(repository.root.repositoryId);
}

/** Adds commits to a branch of a bare repository, each with a file of about `bytes` that don't compress. */
export async function addCommits(folder: string, branch: string, count: number, bytes = 0): Promise<string> {
  const from = await gitText(folder, ["rev-parse", "-q", "--verify", branch]).catch(() => undefined);
  const commits = Array.from({ length: count }, (_, at) => {
    const start = at === 0 && from !== undefined ? `from ${from}\n` : "";
    const content = `${branch} ${at} ${from ?? ""}${randomBytes(bytes >> 1).toString("base64")}`;
    return (
      `commit refs/heads/${branch}\nmark :1\ncommitter A <a@example.org> ${1_800_000_000 + at} +0000\ndata 1\nx\n${start}` +
      `M 100644 inline new-${at % 7}.txt\ndata ${content.length}\n${content}\n`
    );
  });
  return gitText(folder, ["fast-import", "--quiet"], [...commits, "get-mark :1\n"].join("\n"));
}

/** Names and ids of all refs, as git lists them. */
export const refsOf = async (folder: string): Promise<string[]> =>
  (await gitText(folder, ["for-each-ref", "--format=%(objectname) %(refname)"])).split("\n").sort();

/** The same of a repository of ours. */
export const ourRefs = ({ refs }: OpenRepository): string[] =>
  refs.entries.map(({ id, name }) => `${id} ${name}`).sort();

/** Clones with the real git and checks every object. */
export async function cloned(url: string): Promise<string> {
  const folder = join(await temporaryFolder(), "copy");
  await git(await temporaryFolder(), ["clone", "-q", "--mirror", url, folder]);
  await git(folder, ["fsck", "--full", "--strict"]);
  return folder;
}
