import type { ObjectFormat, ObjectId } from "../object/object-format.ts";
import { findForbiddenWant } from "../select/wants.ts";
import type { OpenRepository } from "../store.ts";
import { uploadPackCapabilities } from "./advertise.ts";
import { type Capabilities, checkObjectFormat, checkOffered, parseCapabilities } from "./capabilities.ts";
import { Negotiation } from "./negotiation.ts";
import { type PackAnswerRequest, rawPack, sideBandPack } from "./pack-answer.ts";
import { dataPacket, flushPacket, lineOf, type PacketReader } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";
import type { UploadPackOptions } from "./upload-pack.ts";
import { addBounded, idOf, mostHaves, mostWants, notOurRef, unexpectedLine } from "./upload-request.ts";

const offered = new Set<string>([...uploadPackCapabilities, "object-format", "agent", "symref"]);

interface Wants {
  readonly ids: ReadonlySet<ObjectId>;
  readonly capabilities: Capabilities;
}

/** The `want` lines up to their flush packet; undefined where the client wants nothing. */
async function readWants(reader: PacketReader, format: ObjectFormat): Promise<Wants | undefined> {
  const ids = new Set<ObjectId>();
  let capabilities: Capabilities = new Map();
  for (;;) {
    const packet = await reader.read();
    if (packet === undefined || packet.kind === "flush") break;
    if (packet.kind !== "data") throw new ProtocolError("unexpected packet between the wants");
    const line = lineOf(packet.payload);
    if (!line.startsWith("want ")) throw unexpectedLine(line);
    const split = ids.size === 0 ? line.indexOf(" ", "want ".length) : -1;
    if (split >= 0) {
      capabilities = parseCapabilities(line.slice(split));
      checkOffered(capabilities, offered);
      // Clients of v0 leave this out when they fetch; the width of the ids below tells then.
      checkObjectFormat(capabilities.get("object-format") ?? format, format);
    }
    addBounded(ids, idOf(format, split < 0 ? line : line.slice(0, split), "want"), mostWants);
  }
  return ids.size === 0 ? undefined : { ids, capabilities };
}

type AckStyle = "detailed" | "plain" | "single";

function ackStyle(capabilities: Capabilities): AckStyle {
  if (capabilities.has("multi_ack_detailed")) return "detailed";
  return capabilities.has("multi_ack") ? "plain" : "single";
}

/**
 * Answers the `have` lines of one request (gitprotocol-pack, multi_ack_detailed). Ends with true when the pack
 * follows, with false when the client has to ask on in another request.
 */
async function* negotiate(
  reader: PacketReader,
  format: ObjectFormat,
  negotiation: Negotiation,
  capabilities: Capabilities,
): AsyncGenerator<Uint8Array, boolean> {
  const style = ackStyle(capabilities);
  const haves = new Set<ObjectId>();
  let last: ObjectId | undefined;
  let [gotCommon, gotOther, sentReady] = [false, false, false];
  const ack = (id: ObjectId, word = "") => dataPacket(`ACK ${id}${word && ` ${word}`}\n`);
  for (;;) {
    const packet = await reader.read();
    if (packet === undefined) return false;
    if (packet.kind === "flush") {
      if (style === "detailed" && gotCommon && !gotOther && last && (await negotiation.isReady())) {
        sentReady = true;
        yield ack(last, "ready");
      }
      if (last === undefined || style !== "single") yield dataPacket("NAK\n");
      if (capabilities.has("no-done") && sentReady && last) {
        yield ack(last);
        return true;
      }
      [gotCommon, gotOther] = [false, false];
      continue;
    }
    if (packet.kind !== "data") throw new ProtocolError("unexpected packet between the haves");
    const line = lineOf(packet.payload);
    if (line === "done") {
      if (last === undefined) yield dataPacket("NAK\n");
      else if (style !== "single") yield ack(last);
      return true;
    }
    if (!line.startsWith("have ")) throw unexpectedLine(line);
    const id = idOf(format, line, "have");
    addBounded(haves, id, mostHaves);
    if (negotiation.offer(id)) {
      if (style === "detailed") yield ack(id, "common");
      else if (style === "plain") yield ack(id, "continue");
      else if (last === undefined) yield ack(id);
      [gotCommon, last] = [true, id];
    } else {
      gotOther = true;
      if (style === "single" || !(await negotiation.isReady())) continue;
      sentReady ||= style === "detailed";
      yield ack(id, style === "detailed" ? "ready" : "continue");
    }
  }
}

/** Answers one v0 (or v1) request: negotiation, then perhaps the pack. */
export async function* uploadPackV0(
  repository: OpenRepository,
  reader: PacketReader,
  options: UploadPackOptions,
): AsyncGenerator<Uint8Array> {
  const format = repository.root.objectFormat;
  const wants = await readWants(reader, format);
  if (wants === undefined) return;
  const forbidden = await findForbiddenWant(repository, [...wants.ids]);
  if (forbidden !== undefined) throw notOurRef(forbidden);
  const { capabilities } = wants;
  const negotiation = new Negotiation(await repository.packs(), [...wants.ids]);
  if (!(yield* negotiate(reader, format, negotiation, capabilities))) return;
  const request: PackAnswerRequest = {
    repository,
    wants: [...wants.ids],
    common: negotiation.common,
    isThin: capabilities.has("thin-pack"),
    usesOfsDelta: capabilities.has("ofs-delta"),
    includesTags: capabilities.has("include-tag"),
    showsProgress: !capabilities.has("no-progress"),
    ...options,
  };
  if (!capabilities.has("side-band-64k")) {
    for await (const piece of rawPack(request)) yield Uint8Array.from(piece);
    return;
  }
  yield* sideBandPack(request);
  yield flushPacket;
}
