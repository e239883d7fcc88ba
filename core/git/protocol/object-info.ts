import { Pacer } from "../../concurrency/pacer.ts";
import type { ObjectId } from "../format/object-format.ts";
import { findHidden } from "../history/select/hidden-objects.ts";
import type { GitRepository } from "../repository.ts";
import { dataPacket, flushPacket } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";
import { addBounded, idOf, mostWants, takesLong } from "./upload-request.ts";

const packetsTogether = 1_000;

/**
 * Answers the v2 command object-info: sizes of objects without the objects (gitprotocol-v2). An object that no visible
 * ref leads to looks absent.
 */
export async function* objectInfo(
  repository: GitRepository,
  lines: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const ids = new Set<ObjectId>();
  let withSize = false;
  const pacer = new Pacer(signal);
  for (const line of lines) {
    if (pacer.isDue()) await pacer.pause();
    if (line === "size") withSize = true;
    else if (line.startsWith("oid ")) addBounded(ids, idOf(repository.format, line, "oid"), mostWants);
    else throw new ProtocolError(`object-info: unexpected line "${line.slice(0, 80)}"`);
  }
  const hidden = await findHidden(repository, [...ids], signal);
  const [first] = hidden.ids;
  if (!hidden.isCertain && first !== undefined) throw takesLong(first);
  if (ids.size > 0) {
    if (withSize) yield dataPacket("size");
    const packs = await repository.packs();
    const sizeOf = (id: ObjectId) => (hidden.ids.has(id) ? "" : packs.sizeOf(packs.find(id) as number));
    const packets: Buffer[] = [];
    for (const id of ids) {
      if (pacer.isDue()) await pacer.pause();
      packets.push(dataPacket(withSize ? `${id} ${sizeOf(id)}` : id));
      if (packets.length === packetsTogether) yield Buffer.concat(packets.splice(0));
    }
    yield Buffer.concat(packets);
  }
  yield flushPacket;
}
