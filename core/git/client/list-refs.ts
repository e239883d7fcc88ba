import { defined } from "../../defined.ts";
import { isObjectId, type ObjectFormat } from "../format/object-format.ts";
import { agent } from "../protocol/capabilities.ts";
import { dataPacket, delimiterPacket, flushPacket, lineOf } from "../protocol/pkt-line.ts";
import { decodeRefName, latin1RefName } from "../refs/ref-name.ts";
import { RefCollector, type Remote, type RemoteRefs, throwIfError } from "./remote.ts";
import { RemoteError } from "./remote-failure.ts";

/** The head of a version 2 request. */
export const commandLines = (remote: Remote, command: string): Buffer[] => [
  dataPacket(`command=${command}\n`),
  ...(remote.capabilities.has("agent") ? [dataPacket(`agent=${agent}\n`)] : []),
  ...(remote.capabilities.has("object-format") ? [dataPacket(`object-format=${remote.format}\n`)] : []),
  delimiterPacket,
];

/**
 * The refs of a remote whose names begin with one of some prefixes; all when none is given. Throws RemoteError, also
 * when there are too many.
 */
export async function listRemoteRefs(remote: Remote, prefixes: readonly string[] = []): Promise<RemoteRefs> {
  if (remote.version === 0) return filtered(remote.advertised, prefixes);
  const hasUnborn = (remote.capabilities.get("ls-refs") ?? "").split(" ").includes("unborn");
  const body = Buffer.concat([
    ...commandLines(remote, "ls-refs"),
    ...["peel\n", "symrefs\n", ...(hasUnborn ? ["unborn\n"] : [])].map(dataPacket),
    ...(prefixes.length === 0 ? [] : ["HEAD", ...prefixes]).map((prefix) =>
      dataPacket(Buffer.from(`ref-prefix ${latin1RefName(prefix)}\n`, "latin1")),
    ),
    flushPacket,
  ]);
  const reader = await remote.post(body, remote.limits.listingBytes);
  const refs = new RefCollector(remote.limits.refs);
  try {
    for (let packet = await reader.read(); packet?.kind !== "flush"; packet = await reader.read()) {
      if (packet?.kind !== "data") throw new RemoteError("protocol", "the remote's list of refs has no end");
      throwIfError(packet.payload);
      takeLine(refs, remote.format, lineOf(packet.payload));
    }
  } finally {
    await reader.close();
  }
  // A prefix is a hint: the remote may send others, too.
  return filtered(refs.finish(), prefixes);
}

function filtered(all: RemoteRefs, prefixes: readonly string[]): RemoteRefs {
  if (prefixes.length === 0) return all;
  return { ...all, refs: all.refs.filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix))) };
}

function takeLine(refs: RefCollector, format: ObjectFormat, line: string): void {
  const [id = "", latin1 = "", ...attributes] = line.split(" ");
  const attributeOf = (word: string) =>
    attributes.find((one) => one.startsWith(`${word}:`))?.slice(word.length + 1);
  const name = decodeRefName(Buffer.from(latin1, "latin1"));
  const target = attributeOf("symref-target");
  if (name === "HEAD" && target !== undefined) refs.head = decodeRefName(Buffer.from(target, "latin1"));
  if (id === "unborn") return;
  const peeled = attributeOf("peeled");
  if (!isObjectId(format, id) || latin1 === "" || (peeled !== undefined && !isObjectId(format, peeled))) {
    throw new RemoteError("protocol", `the remote tells a ref that is none: "${line.slice(0, 80)}"`);
  }
  refs.put({ name, id, ...defined({ peeled }) });
}
