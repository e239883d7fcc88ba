import type { ObjectFormat, ObjectId } from "../format/object-format.ts";
import { findForbiddenWant } from "../history/select/hidden-objects.ts";
import { packObjects } from "../history/select/pack-objects.ts";
import type { ShallowHistory } from "../history/select/shallow-history.ts";
import type { GitRepository } from "../repository.ts";
import { uploadPackCapabilities } from "./advertise.ts";
import { type Capabilities, checkObjectFormat, checkOffered, parseCapabilities } from "./capabilities.ts";
import { FetchLines } from "./fetch-lines.ts";
import { HaveAnswers } from "./have-answers.ts";
import { keepAliveMs, orSilence } from "./keep-alive.ts";
import { Negotiation } from "./negotiation.ts";
import { dataPacket, flushPacket, inPieces, lineOf, type PacketReader } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";
import { smallFrameBytes } from "./side-band.ts";
import { type SideBandPack, sideBandPack } from "./side-band-pack.ts";
import type { UploadPackOptions } from "./upload-pack.ts";
import { addBounded, idOf, mostHaves, mostWants, notOurRef, unexpectedLine } from "./upload-request.ts";

const offered = new Set<string>([
  ...uploadPackCapabilities,
  "object-format",
  "agent",
  "symref",
  "session-id",
]);

interface Wants {
  readonly ids: ReadonlySet<ObjectId>;
  readonly capabilities: Capabilities;
  readonly lines: FetchLines;
}

/** The `want` lines and the lines among them, up to their flush packet; undefined when nothing is wanted. */
async function readWants(reader: PacketReader, format: ObjectFormat): Promise<Wants | undefined> {
  const ids = new Set<ObjectId>();
  let capabilities: Capabilities = new Map();
  const lines = new FetchLines(format);
  for (;;) {
    const packet = await reader.read();
    if (packet === undefined || packet.kind === "flush") break;
    if (packet.kind !== "data") throw new ProtocolError("unexpected packet between the wants");
    const line = lineOf(packet.payload);
    if (lines.take(line)) continue;
    if (!line.startsWith("want ")) throw unexpectedLine(line);
    const split = ids.size === 0 ? line.indexOf(" ", "want ".length) : -1;
    if (split >= 0) {
      capabilities = parseCapabilities(line.slice(split));
      checkOffered(capabilities, offered);
      // Clients of v0 leave this out in a fetch; the width of the ids below tells it then.
      checkObjectFormat(capabilities.get("object-format") ?? format, format);
    }
    addBounded(ids, idOf(format, split < 0 ? line : line.slice(0, split), "want"), mostWants);
  }
  if (capabilities.has("deepen-relative")) lines.setRelative();
  return ids.size === 0 ? undefined : { ids, capabilities, lines };
}

/** The borders that change, for a client that asked for it. */
function* shallowLines({ shallow, unshallow }: ShallowHistory): Generator<Buffer> {
  for (const id of shallow) yield dataPacket(`shallow ${id}`);
  for (const id of unshallow) yield dataPacket(`unshallow ${id}`);
  yield flushPacket;
}

/**
 * Answers the `have` lines of one request. Ends with true when the pack follows, with false when the client must go on
 * in another request.
 */
async function* negotiate(
  reader: PacketReader,
  format: ObjectFormat,
  answers: HaveAnswers,
): AsyncGenerator<Uint8Array, boolean> {
  const haves = new Set<ObjectId>();
  for (let packet = await reader.read(); packet !== undefined; packet = await reader.read()) {
    if (packet.kind === "flush") {
      const { packets, isDone } = await answers.flush();
      yield* packets;
      if (isDone) return true;
      continue;
    }
    if (packet.kind !== "data") throw new ProtocolError("unexpected packet between the haves");
    const line = lineOf(packet.payload);
    if (line === "done") {
      yield* answers.done();
      return true;
    }
    if (!line.startsWith("have ")) throw unexpectedLine(line);
    const id = idOf(format, line, "have");
    addBounded(haves, id, mostHaves);
    yield* await answers.have(id);
  }
  return false;
}

const hasSideBand = (capabilities: Capabilities): boolean =>
  capabilities.has("side-band-64k") || capabilities.has("side-band");

/** Rejects with a ProtocolError when the client may not have its wants. */
function allow(repository: GitRepository, { ids }: Wants, { signal }: UploadPackOptions): Promise<void> {
  const check = async () => {
    const forbidden = await findForbiddenWant(repository, [...ids], signal);
    if (forbidden !== undefined) throw notOurRef(forbidden);
  };
  const allowing = check();
  allowing.catch(() => undefined); // the waiting code sees the error
  return allowing;
}

/** Answers one v0 (or v1) request: negotiation, then perhaps the pack. */
export async function* uploadPackV0(
  repository: GitRepository,
  reader: PacketReader,
  options: UploadPackOptions,
): AsyncGenerator<Uint8Array> {
  const { format } = repository;
  const patienceMs = options.keepAliveMs ?? keepAliveMs;
  const wants = await readWants(reader, format);
  if (wants === undefined) return;
  const { capabilities, lines } = wants;
  const allowing = allow(repository, wants, options);
  // When that takes long, the client is told on the pack's side-band, on which the connection is kept alive.
  await (hasSideBand(capabilities) ? orSilence(allowing, patienceMs) : allowing);
  const sessionId = capabilities.get("session-id");
  if (sessionId !== undefined) options.onSession?.(sessionId);
  const history = await lines.history(repository, [...wants.ids], options.signal);
  if (lines.isDeepening) yield* inPieces(shallowLines(history));
  const negotiation = new Negotiation(() => repository.packs(), [...wants.ids], options.signal);
  const answers = new HaveAnswers(negotiation, capabilities, patienceMs);
  if (!(yield* negotiate(reader, format, answers))) return;
  const common = allowing.then(() => negotiation.settle());
  common.catch(() => undefined);
  const request: SideBandPack = {
    repository,
    wants: [...wants.ids],
    common,
    history,
    filter: lines.filter,
    isThin: capabilities.has("thin-pack"),
    usesOfsDelta: capabilities.has("ofs-delta"),
    includesTags: capabilities.has("include-tag"),
    showsProgress: !capabilities.has("no-progress"),
    ...(!capabilities.has("side-band-64k") && { frameBytes: smallFrameBytes }),
    ...options,
  };
  if (!hasSideBand(capabilities)) {
    for await (const piece of packObjects(request)) yield Uint8Array.from(piece);
    return;
  }
  yield* sideBandPack(request);
  yield flushPacket;
}
