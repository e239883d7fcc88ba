import { zeroId } from "../object/object-format.ts";
import { encodeRefName } from "../refs/ref-name.ts";
import type { RefTable } from "../refs/ref-table.ts";
import { headEntry, type RefSnapshot } from "../refs/snapshot.ts";
import { agent } from "./capabilities.ts";
import { dataPacket, flushPacket } from "./pkt-line.ts";

/** What v0 upload-pack offers, beside the values that name the repository. */
export const uploadPackCapabilities = [
  "multi_ack",
  "multi_ack_detailed",
  "no-done",
  "side-band-64k",
  "thin-pack",
  "ofs-delta",
  "include-tag",
  "no-progress",
  "allow-tip-sha1-in-want",
  "allow-reachable-sha1-in-want",
] as const;

/** What receive-pack offers, beside the values that name the repository. */
export const receivePackCapabilities = [
  "report-status",
  "delete-refs",
  "side-band-64k",
  "quiet",
  "atomic",
  "ofs-delta",
] as const;

const valueCapabilities = ({ root }: RefSnapshot) => [`object-format=${root.objectFormat}`, `agent=${agent}`];

function refLine(id: string, name: string, capabilities?: readonly string[]): Buffer {
  const tail = capabilities === undefined ? "\n" : `\0${capabilities.join(" ")}\n`;
  return dataPacket(Buffer.concat([Buffer.from(`${id} `), encodeRefName(name), Buffer.from(tail)]));
}

const rendered = new WeakMap<RefTable, Buffer>();

/** Lines of all refs with what tags lead to, kept with the table. */
function renderedRefs(refs: RefTable): Buffer {
  let lines = rendered.get(refs);
  if (lines === undefined) {
    lines = Buffer.concat(
      refs.entries.flatMap(({ id, name, peeled }) =>
        peeled === undefined ? [refLine(id, name)] : [refLine(id, name), refLine(peeled, `${name}^{}`)],
      ),
    );
    rendered.set(refs, lines);
  }
  return lines;
}

/** The refs and capabilities that a v0 or v1 fetch starts from. */
export function advertiseUploadPack(snapshot: RefSnapshot): Buffer[] {
  const head = headEntry(snapshot);
  const symref = head === undefined ? [] : [`symref=HEAD:${encodeRefName(head.name).toString("latin1")}`];
  const capabilities = [...uploadPackCapabilities, ...symref, ...valueCapabilities(snapshot)];
  if (head !== undefined) {
    return [refLine(head.id, "HEAD", capabilities), renderedRefs(snapshot.refs), flushPacket];
  }
  return withoutHead(snapshot, capabilities, true);
}

/** The refs and capabilities that a push starts from. */
export const advertiseReceivePack = (snapshot: RefSnapshot): Buffer[] =>
  withoutHead(snapshot, [...receivePackCapabilities, ...valueCapabilities(snapshot)], false);

function withoutHead(
  { root, refs }: RefSnapshot,
  capabilities: readonly string[],
  isPeeling: boolean,
): Buffer[] {
  const [first] = refs.entries;
  if (first === undefined) {
    return [refLine(zeroId(root.objectFormat), "capabilities^{}", capabilities), flushPacket];
  }
  const lines = refs.entries.flatMap((entry) => {
    const line = refLine(entry.id, entry.name, entry === first ? capabilities : undefined);
    if (!isPeeling || entry.peeled === undefined) return [line];
    return [line, refLine(entry.peeled, `${entry.name}^{}`)];
  });
  return [...lines, flushPacket];
}
