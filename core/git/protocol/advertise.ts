import { lazyFor } from "../../lazy.ts";
import { zeroId } from "../format/object-format.ts";
import { visibleRepository } from "../refs/hidden-refs.ts";
import { latin1RefName } from "../refs/ref-name.ts";
import type { RefEntry, RefTable } from "../refs/ref-table.ts";
import { type GitRepository, headEntry } from "../repository.ts";
import { agent } from "./capabilities.ts";
import { flushPacket, packetText } from "./pkt-line.ts";

/** The capabilities of v0 upload-pack, without those that describe the repository. */
export const uploadPackCapabilities = [
  "multi_ack",
  "multi_ack_detailed",
  "no-done",
  "side-band",
  "side-band-64k",
  "thin-pack",
  "ofs-delta",
  "include-tag",
  "no-progress",
  "shallow",
  "deepen-since",
  "deepen-not",
  "deepen-relative",
  "filter",
  "allow-tip-sha1-in-want",
  "allow-reachable-sha1-in-want",
] as const;

/** The capabilities of receive-pack, without those that describe the repository. */
export const receivePackCapabilities = [
  "report-status",
  "report-status-v2",
  "delete-refs",
  "side-band-64k",
  "quiet",
  "atomic",
  "push-options",
  "ofs-delta",
] as const;

const valueCapabilities = ({ format }: GitRepository) => [`object-format=${format}`, `agent=${agent}`];

const refLine = (id: string, name: string, capabilities?: readonly string[]): string =>
  packetText(
    `${id} ${latin1RefName(name)}${capabilities === undefined ? "" : `\0${capabilities.join(" ")}`}\n`,
  );

/** Lines of all refs with the objects behind tags, kept with the table. */
const renderedRefs = lazyFor((refs: RefTable) => Buffer.from(refs.entries.map(linesOf).join(""), "latin1"));

const linesOf = (entry: RefEntry): string => refLine(entry.id, entry.name) + peeledLine(entry);

const peeledLine = ({ name, peeled }: RefEntry): string =>
  peeled === undefined ? "" : refLine(peeled, `${name}^{}`);

/** The refs and capabilities that a v0 or v1 fetch starts from. */
export function advertiseUploadPack(whole: GitRepository, sessionId?: string): Buffer[] {
  const repository = visibleRepository(whole);
  const head = headEntry(repository);
  const symref = head === undefined ? [] : [`symref=HEAD:${latin1RefName(head.name)}`];
  const session = sessionId === undefined ? [] : [`session-id=${sessionId}`];
  const capabilities = [...uploadPackCapabilities, ...symref, ...valueCapabilities(repository), ...session];
  if (head === undefined) return withoutHead(repository, capabilities, true);
  const first = Buffer.from(refLine(head.id, "HEAD", capabilities), "latin1");
  return [first, renderedRefs(repository.refs), flushPacket];
}

/** The refs and capabilities that a push starts from. */
export const advertiseReceivePack = (repository: GitRepository): Buffer[] =>
  withoutHead(
    visibleRepository(repository),
    [...receivePackCapabilities, ...valueCapabilities(repository)],
    false,
  );

function withoutHead(
  { format, refs }: GitRepository,
  capabilities: readonly string[],
  isPeeling: boolean,
): Buffer[] {
  const [first, ...others] = refs.entries;
  const text =
    first === undefined
      ? refLine(zeroId(format), "capabilities^{}", capabilities)
      : refLine(first.id, first.name, capabilities) +
        (isPeeling ? peeledLine(first) : "") +
        others.map(isPeeling ? linesOf : ({ id, name }) => refLine(id, name)).join("");
  return [Buffer.from(text, "latin1"), flushPacket];
}
