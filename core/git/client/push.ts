import { defined } from "../../defined.ts";
import type { ObjectId } from "../format/object-format.ts";
import { zeroId } from "../format/object-format.ts";
import { packObjects } from "../history/select/pack-objects.ts";
import { agent } from "../protocol/capabilities.ts";
import { dataPacket, flushPacket, lineOf, PacketReader } from "../protocol/pkt-line.ts";
import type { RefChange, RefResult } from "../refs/check-changes.ts";
import { decodeRefName, encodeRefName } from "../refs/ref-name.ts";
import type { GitRepository } from "../repository.ts";
import { openRemote, type Remote, type RemoteRefs } from "./remote.ts";
import { RemoteError, type RemoteOutcome, remoteOutcome, remoteText } from "./remote-failure.ts";
import { sideBandData } from "./side-band-data.ts";
import type { RemoteAddress } from "./transport.ts";
import { WatchedBody } from "./watched-body.ts";

/** The refs and objects to push to a remote. */
export interface RemotePush {
  /**
   * Plans the moves of refs from the remote's present ones: `old` is the remote's, `new` an object of the repository.
   */
  plan(refs: RemoteRefs): readonly RefChange[] | Promise<readonly RefChange[]>;
  /** All refs or none; a failure when the remote can't promise it. */
  readonly isAtomic?: boolean;
  readonly signal?: AbortSignal;
}

/** The remote's answer for each ref. */
export interface RemotePushed {
  readonly results: readonly RefResult[];
}

/**
 * Moves refs of a remote and sends the objects that it lacks, as a thin pack when it takes one. Faults there are
 * values.
 */
export const pushRemote = (
  address: RemoteAddress,
  repository: GitRepository,
  push: RemotePush,
): Promise<RemoteOutcome<RemotePushed>> =>
  remoteOutcome(async () => {
    const remote = await openRemote(address, "git-receive-pack");
    if (remote.format !== repository.format) {
      throw new RemoteError("object-format", `the remote uses ${remote.format} object ids: create it anew`);
    }
    const changes = await push.plan(remote.advertised);
    if (changes.length === 0) return { results: [] };
    checkCapabilities(remote, changes, push);
    const body = new WatchedBody(pushBody(remote, repository, changes, push));
    const reader = await remote.post(body, remote.limits.listingBytes).catch((error: unknown) => {
      throw body.failure ?? error;
    });
    try {
      const isBanded = remote.capabilities.has("side-band-64k");
      return {
        results: await readReport(isBanded ? new PacketReader(sideBandData(reader)) : reader, changes),
      };
    } finally {
      await reader.close();
    }
  });

function checkCapabilities(
  { capabilities }: Remote,
  changes: readonly RefChange[],
  { isAtomic }: RemotePush,
): void {
  if (!capabilities.has("report-status")) {
    throw new RemoteError("protocol", "the remote does not say what becomes of a push");
  }
  if (isAtomic && !capabilities.has("atomic")) {
    throw new RemoteError("protocol", "the remote can't promise to move all refs or none");
  }
  if (changes.some((change) => change.new === undefined) && !capabilities.has("delete-refs")) {
    throw new RemoteError("protocol", "the remote does not let refs be deleted");
  }
}

async function* pushBody(
  remote: Remote,
  repository: GitRepository,
  changes: readonly RefChange[],
  { isAtomic, signal }: RemotePush,
): AsyncGenerator<Uint8Array> {
  yield commands(remote, changes, isAtomic === true);
  const wants = [...new Set(changes.flatMap((change) => change.new ?? []))];
  if (wants.length === 0) return;
  const { capabilities } = remote;
  yield* packObjects({
    repository,
    wants,
    common: await sharedWith(remote, repository),
    isThin: !capabilities.has("no-thin"),
    usesOfsDelta: capabilities.has("ofs-delta"),
    ...defined({ signal }),
  });
}

function commands(
  { capabilities, format }: Remote,
  changes: readonly RefChange[],
  isAtomic: boolean,
): Buffer {
  const asked = ["report-status", "side-band-64k", "quiet", ...(isAtomic ? ["atomic"] : [])].filter((one) =>
    capabilities.has(one),
  );
  if (capabilities.has("object-format")) asked.push(`object-format=${format}`);
  if (capabilities.has("agent")) asked.push(`agent=${agent}`);
  const zero = zeroId(format);
  const packets = changes.map(({ name, old = zero, new: id = zero }, at) =>
    dataPacket(
      Buffer.concat([
        Buffer.from(`${old} ${id} `),
        encodeRefName(name),
        Buffer.from(at === 0 ? `\0${asked.join(" ")}` : ""),
      ]),
    ),
  );
  return Buffer.concat([...packets, flushPacket]);
}

/** Objects that the remote's refs say it has, and we have too. */
async function sharedWith({ advertised }: Remote, repository: GitRepository): Promise<Set<ObjectId>> {
  const packs = await repository.packs();
  return new Set(advertised.refs.map(({ id }) => id).filter((id) => packs.has(id)));
}

/** The lines of report-status. Throws RemoteError when the pack was refused, or nothing is reported. */
async function readReport(reader: PacketReader, changes: readonly RefChange[]): Promise<RefResult[]> {
  const first = await reader.read();
  const unpacked = first?.kind === "data" ? lineOf(first.payload) : "";
  if (!unpacked.startsWith("unpack "))
    throw new RemoteError("protocol", "the remote does not report on the push");
  const fates = new Map<string, string | undefined>();
  for (let packet = await reader.read(); packet?.kind === "data"; packet = await reader.read()) {
    const [word = "", name = ""] = lineOf(packet.payload).split(" ", 2);
    if (word !== "ok" && word !== "ng") continue;
    const reason = packet.payload.subarray(word.length + name.length + 2);
    const fate = word === "ok" ? undefined : remoteText(reason) || "refused";
    fates.set(decodeRefName(Buffer.from(name, "latin1")), fate);
    if (fates.size > changes.length)
      throw new RemoteError("protocol", "the remote reports on refs it was not asked for");
  }
  if (fates.size === 0 && unpacked !== "unpack ok") {
    throw new RemoteError("remote-error", `the remote says: ${remoteText(Buffer.from(unpacked, "latin1"))}`);
  }
  return changes.map(({ name }) => {
    const refusal = fates.has(name) ? fates.get(name) : "the remote says nothing of it";
    return refusal === undefined ? { name } : { name, refusal };
  });
}
