import { isObjectId, type ObjectFormat, type ObjectId } from "../format/object-format.ts";
import { agent } from "../protocol/capabilities.ts";
import { dataPacket, flushPacket, lineOf, type Packet, type PacketReader } from "../protocol/pkt-line.ts";
import { commandLines } from "./list-refs.ts";
import { type Remote, throwIfError } from "./remote.ts";
import { RemoteError } from "./remote-failure.ts";
import { sideBandData } from "./side-band-data.ts";

/** The objects to fetch from a remote. */
export interface FetchRequest {
  readonly wants: readonly ObjectId[];
  /** Commits that we have with everything they lead to, as far as `shallow` allows; likeliest ones first. */
  readonly haves?: readonly ObjectId[];
  /** Commits whose parents we lack. */
  readonly shallow?: readonly ObjectId[];
  /** Commits deep from the wants; all of history when absent. */
  readonly depth?: number;
  /** Whether deltas may rest on objects that we have. */
  readonly isThin?: boolean;
}

/** A pack on its way, and its effect on where our history ends. */
export interface FetchAnswer {
  readonly shallow: readonly ObjectId[];
  readonly unshallow: readonly ObjectId[];
  /** Throws RemoteError when the remote breaks off or says why it can't go on. */
  readonly pack: AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Haves sent in the first round; each further round sends twice as many. */
const firstHaves = 64;
/** Rounds after which we say that this was all. */
const mostRounds = 12;
const mostBorders = 200_000;

/** Asks for a pack. Throws RemoteError. */
export async function fetchPack(remote: Remote, request: FetchRequest): Promise<FetchAnswer> {
  if (remote.version === 0) return fetchV0(remote, request);
  const { haves = [] } = request;
  const common = new Set<ObjectId>();
  let told = 0;
  for (let round = 1; ; round++) {
    const next = haves.slice(told, told + firstHaves * 2 ** (round - 1));
    told += next.length;
    const isDone = told >= haves.length || round >= mostRounds;
    const lines = [...common, ...next].map((id) => `have ${id}\n`);
    const reader = await remote.post(
      Buffer.concat([
        ...commandLines(remote, "fetch"),
        ...[...requestLines(remote, request), ...lines, ...(isDone ? ["done\n"] : [])].map(dataPacket),
        flushPacket,
      ]),
      remote.limits.packBytes,
    );
    const answer = await readAnswer(reader, remote.format, common);
    if (answer !== undefined) return answer;
    await reader.close();
    if (isDone) throw new RemoteError("protocol", "the remote sends no pack");
  }
}

function requestLines(remote: Remote, request: FetchRequest): string[] {
  const { wants, shallow = [], depth, isThin = false } = request;
  if (depth !== undefined || shallow.length > 0) checkShallow(remote);
  return [
    ...(isThin ? ["thin-pack\n"] : []),
    ...["ofs-delta\n", "no-progress\n"],
    ...wants.map((id) => `want ${id}\n`),
    ...shallow.map((id) => `shallow ${id}\n`),
    ...(depth === undefined ? [] : [`deepen ${depth}\n`]),
  ];
}

function checkShallow({ version, capabilities }: Remote): void {
  const features = version === 2 ? (capabilities.get("fetch") ?? "").split(" ") : [...capabilities.keys()];
  if (!features.includes("shallow"))
    throw new RemoteError("protocol", "the remote sends whole histories only");
}

interface Borders {
  readonly shallow: ObjectId[];
  readonly unshallow: ObjectId[];
}

/** Reads the sections up to the pack; undefined when the remote wants to hear more haves first. */
async function readAnswer(
  reader: PacketReader,
  format: ObjectFormat,
  common: Set<ObjectId>,
): Promise<FetchAnswer | undefined> {
  const borders: Borders = { shallow: [], unshallow: [] };
  for (let packet = await reader.read(); packet?.kind === "data"; packet = await reader.read()) {
    throwIfError(packet.payload);
    const section = lineOf(packet.payload);
    if (section === "packfile")
      return { ...borders, pack: sideBandData(reader), close: () => reader.close() };
    const end = await readSection(reader, (line) => {
      if (section === "acknowledgments") takeAcknowledgment(line, format, common);
      else if (section === "shallow-info") takeBorder(line, format, borders);
    });
    if (end?.kind === "flush") return undefined;
    if (end?.kind !== "delimiter") break;
  }
  throw new RemoteError("protocol", "the remote's answer ends before its pack");
}

/** Hands over lines up to the packet that ends them. */
async function readSection(reader: PacketReader, take: (line: string) => void): Promise<Packet | undefined> {
  for (let lines = 0; ; lines++) {
    const packet = await reader.read();
    if (packet?.kind !== "data") return packet;
    throwIfError(packet.payload);
    if (lines > mostBorders)
      throw new RemoteError("too-large", "a section of the remote's answer has no end");
    take(lineOf(packet.payload));
  }
}

function takeAcknowledgment(line: string, format: ObjectFormat, common: Set<ObjectId>): void {
  const [word, id = ""] = line.split(" ");
  if (word === "ACK" && isObjectId(format, id)) common.add(id);
}

function takeBorder(line: string, format: ObjectFormat, borders: Borders): void {
  const [word, id = ""] = line.split(" ");
  if ((word !== "shallow" && word !== "unshallow") || !isObjectId(format, id)) {
    throw new RemoteError("protocol", `the remote tells a border that is none: "${line.slice(0, 80)}"`);
  }
  borders[word].push(id);
}

/** Version 0 sends everything in one request: the haves, and that there are no more. */
async function fetchV0(remote: Remote, request: FetchRequest): Promise<FetchAnswer> {
  const { wants, haves = [], shallow = [], depth, isThin = false } = request;
  const { capabilities, format } = remote;
  if (depth !== undefined || shallow.length > 0) checkShallow(remote);
  if (!capabilities.has("side-band-64k"))
    throw new RemoteError("protocol", "the remote is too old: no side-band");
  const asked = [
    ...["side-band-64k", "ofs-delta", "no-progress", "multi_ack_detailed", isThin ? "thin-pack" : ""],
    depth === undefined && shallow.length === 0 ? "" : "shallow",
  ].filter((one) => one !== "" && capabilities.has(one));
  if (capabilities.has("object-format")) asked.push(`object-format=${format}`);
  if (capabilities.has("agent")) asked.push(`agent=${agent}`);
  const body = Buffer.concat([
    ...wants.map((id, at) => dataPacket(`want ${id}${at === 0 ? ` ${asked.join(" ")}` : ""}\n`)),
    ...shallow.map((id) => dataPacket(`shallow ${id}`)),
    ...(depth === undefined ? [] : [dataPacket(`deepen ${depth}`)]),
    flushPacket,
    ...haves.slice(0, mostHavesV0).map((id) => dataPacket(`have ${id}\n`)),
    dataPacket("done\n"),
  ]);
  const reader = await remote.post(body, remote.limits.packBytes);
  const borders: Borders = { shallow: [], unshallow: [] };
  if (depth !== undefined) {
    const end = await readSection(reader, (line) => takeBorder(line, format, borders));
    if (end?.kind !== "flush") throw new RemoteError("protocol", "the remote's borders have no end");
  }
  return { ...borders, pack: sideBandData(reader, await firstBand(reader)), close: () => reader.close() };
}

const mostHavesV0 = 4_096;

/** Passes acknowledgments over, up to the first packet of a band. */
async function firstBand(reader: PacketReader): Promise<Buffer> {
  for (let lines = 0; lines <= 2 * mostHavesV0; lines++) {
    const packet = await reader.read();
    if (packet?.kind !== "data") break;
    throwIfError(packet.payload);
    if (!/^(?:ACK |NAK)/.test(packet.payload.toString("latin1", 0, 4))) return packet.payload;
  }
  throw new RemoteError("protocol", "the remote sends no pack");
}
