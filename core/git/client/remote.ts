import { defined } from "../../defined.ts";
import type { ObjectFormat, ObjectId } from "../format/object-format.ts";
import { isObjectId, zeroId } from "../format/object-format.ts";
import { agent, type Capabilities, parseCapabilities } from "../protocol/capabilities.ts";
import { lineOf, type Packet, PacketReader } from "../protocol/pkt-line.ts";
import { decodeRefName } from "../refs/ref-name.ts";
import { RemoteError, remoteText } from "./remote-failure.ts";
import {
  authorization,
  limitsOf,
  type RemoteAddress,
  type RemoteAnswer,
  type RemoteLimits,
} from "./transport.ts";

export type RemoteService = "git-upload-pack" | "git-receive-pack";

/** A ref that a remote names. */
export interface RemoteRef {
  readonly name: string;
  readonly id: ObjectId;
  /** The object that an annotated tag leads to, if the remote says it. */
  readonly peeled?: ObjectId;
}

/** Refs of a remote in its order, without HEAD; and where HEAD points. */
export interface RemoteRefs {
  readonly refs: readonly RemoteRef[];
  /** The branch that HEAD names, if the remote says it; it need not be among the refs. */
  readonly head?: string;
}

/** A remote that has answered: its protocol version, and its address. */
export interface Remote {
  readonly service: RemoteService;
  readonly version: 0 | 2;
  readonly format: ObjectFormat;
  readonly capabilities: Capabilities;
  /** All refs, which version 0 sends at once; empty with version 2. */
  readonly advertised: RemoteRefs;
  readonly limits: RemoteLimits;
  /** Posts to the service; answers a reader of its packets. Throws RemoteError. */
  post(body: Uint8Array | AsyncIterable<Uint8Array>, maxBodyBytes: number): Promise<PacketReader>;
}

type OpenedAnswer = Extract<RemoteAnswer, { kind: "opened" }>;

/**
 * Asks a remote for its protocol version. Only this request may be redirected, git's default; later ones go to its
 * target, and credentials only to the host that they were given for. Throws RemoteError.
 */
export async function openRemote(address: RemoteAddress, service: RemoteService): Promise<Remote> {
  const limits = limitsOf(address);
  const base = address.url.replace(/\/+$/, "");
  const suffix = `/info/refs?service=${service}`;
  const version = service === "git-upload-pack" ? { "git-protocol": "version=2" } : {};
  const answer = await send(address, {
    ...{ url: `${base}${suffix}`, method: "GET", headers: version },
    ...{ maxBodyBytes: limits.listingBytes, maxRedirects: 5, credentials: true },
  });
  const reader = readerOf(answer, `application/x-${service}-advertisement`);
  const home = redirectedBase(base, answer, suffix);
  const advertisement = await readAdvertisement(reader, service, limits);
  await reader.close();
  const hasCredentials = URL.canParse(base) && new URL(home).origin === new URL(base).origin;
  return {
    ...advertisement,
    service,
    limits,
    async post(body, maxBodyBytes) {
      const headers = {
        "content-type": `application/x-${service}-request`,
        accept: `application/x-${service}-result`,
        ...(advertisement.version === 2 && { "git-protocol": "version=2" }),
      };
      const posted = await send(address, {
        ...{ url: `${home}/${service}`, method: "POST", headers, body },
        ...{ maxBodyBytes, maxRedirects: 0, credentials: hasCredentials },
      });
      return readerOf(posted, `application/x-${service}-result`);
    },
  };
}

interface Sent {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly maxBodyBytes: number;
  readonly maxRedirects: number;
  readonly credentials: boolean;
}

async function send(address: RemoteAddress, { credentials, ...sent }: Sent): Promise<OpenedAnswer> {
  const { totalTimeoutMs, idleTimeoutMs } = limitsOf(address);
  const answer = await address.transport.open({
    ...{ ...sent, totalTimeoutMs, idleTimeoutMs },
    headers: {
      "user-agent": `git/2.0 (${agent})`,
      ...sent.headers,
      ...(credentials ? authorization(address.credentials) : {}),
    },
    ...defined({ signal: address.signal }),
  });
  if (answer.kind === "refused") throw new RemoteError("refused", answer.reason);
  if (answer.kind === "no-answer") throw new RemoteError("unreachable", answer.reason);
  if (answer.status === 200) return answer;
  answer.close();
  throw statusFailure(answer.status);
}

function statusFailure(status: number): RemoteError {
  if (status === 401 || status === 403) {
    return new RemoteError("unauthorized", `the remote asks for other credentials (it answered ${status})`);
  }
  if (status === 404) return new RemoteError("not-found", "the remote has no repository there, or hides it");
  if (status === 413) return new RemoteError("too-large", "the remote takes no request of this size");
  if (status >= 300 && status < 400) {
    return new RemoteError("protocol", "the remote redirects elsewhere: use the URL that it redirects to");
  }
  return new RemoteError("unreachable", `the remote answered ${status}`);
}

function readerOf(answer: OpenedAnswer, expected: string): PacketReader {
  const { headers } = answer;
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  const encoding = headers["content-encoding"] ?? "identity";
  if (type === expected && encoding === "identity") return new PacketReader(answer.body);
  answer.close();
  throw new RemoteError(
    "protocol",
    encoding === "identity"
      ? `there is no git server of this century: it answered ${type?.slice(0, 80) || "without a type"}`
      : "the remote packs its answer in a way that was not asked for",
  );
}

/** The repository's address after redirects, which must lead to the same path of another repository. */
function redirectedBase(base: string, { url }: OpenedAnswer, suffix: string): string {
  if (url.endsWith(suffix)) return url.slice(0, -suffix.length);
  throw new RemoteError("protocol", `${base} redirects to what is no git repository`);
}

type Advertisement = Pick<Remote, "version" | "format" | "capabilities" | "advertised">;

async function readAdvertisement(
  reader: PacketReader,
  service: RemoteService,
  limits: RemoteLimits,
): Promise<Advertisement> {
  let packet = await reader.read();
  if (packet?.kind === "data" && lineOf(packet.payload) === `# service=${service}`) {
    if ((await reader.read())?.kind !== "flush") throw unexpected("after its greeting");
    packet = await reader.read();
  }
  const first = packet?.kind === "data" ? lineOf(packet.payload) : "";
  if (first === "version 2") return readCapabilities(reader);
  if (first.startsWith("version ")) packet = await reader.read();
  return readRefs(reader, packet, limits);
}

const unexpected = (where: string): RemoteError =>
  new RemoteError("protocol", `the remote breaks the git protocol ${where}`);

/** Throws the remote's error message, if the packet is one. */
export function throwIfError(payload: Buffer): void {
  if (!payload.subarray(0, 4).equals(errorWord)) return;
  throw new RemoteError("remote-error", `the remote says: ${remoteText(payload.subarray(4))}`);
}

const errorWord = Buffer.from("ERR ");
const mostCapabilities = 1_000;

async function readCapabilities(reader: PacketReader): Promise<Advertisement> {
  const capabilities = new Map<string, string>();
  for (let packet = await reader.read(); packet?.kind !== "flush"; packet = await reader.read()) {
    if (packet?.kind !== "data" || capabilities.size > mostCapabilities)
      throw unexpected("in its capabilities");
    throwIfError(packet.payload);
    const line = lineOf(packet.payload);
    const split = line.indexOf("=");
    capabilities.set(split < 0 ? line : line.slice(0, split), split < 0 ? "" : line.slice(split + 1));
  }
  return { version: 2, format: formatOf(capabilities), capabilities, advertised: { refs: [] } };
}

function formatOf(capabilities: Capabilities): ObjectFormat {
  const named = capabilities.get("object-format") ?? "sha1";
  if (named === "sha1" || named === "sha256") return named;
  throw new RemoteError(
    "object-format",
    `the remote uses object ids of an unknown kind, ${named.slice(0, 40)}`,
  );
}

/** The refs of version 0, the first with all capabilities behind a NUL. */
async function readRefs(
  reader: PacketReader,
  first: Packet | undefined,
  limits: RemoteLimits,
): Promise<Advertisement> {
  const refs = new RefCollector(limits.refs);
  let capabilities: Map<string, string> | undefined;
  let format: ObjectFormat = "sha1";
  for (let packet = first; packet?.kind !== "flush"; packet = await reader.read()) {
    if (packet?.kind !== "data") throw unexpected("in its refs");
    throwIfError(packet.payload);
    const line = lineOf(packet.payload);
    const [named = "", told] = line.split("\0", 2);
    if (capabilities === undefined) {
      capabilities = parseCapabilities(told ?? "");
      format = formatOf(capabilities);
      const symref = /(?:^| )symref=HEAD:(\S+)/.exec(told ?? "")?.[1];
      if (symref !== undefined) refs.head = decodeRefName(Buffer.from(symref, "latin1"));
    }
    if (!named.startsWith("shallow ")) refs.add(format, named);
  }
  return { version: 0, format, capabilities: capabilities ?? new Map(), advertised: refs.finish() };
}

/** Gathers refs within bounds. */
export class RefCollector {
  head: string | undefined;
  readonly #most: number;
  readonly #refs = new Map<string, RemoteRef>();

  constructor(most: number) {
    this.#most = most;
  }

  /** A line of version 0: id and name; `^{}` behind a name gives the object that a tag leads to. */
  add(format: ObjectFormat, line: string): void {
    const space = line.indexOf(" ");
    const [id, name] = [line.slice(0, space), line.slice(space + 1)];
    if (space < 0 || !isObjectId(format, id)) throw unexpected(`with the line "${line.slice(0, 80)}"`);
    if (name === "capabilities^{}" && id === zeroId(format)) return;
    if (name.endsWith("^{}")) this.#peel(name.slice(0, -3), id);
    else this.put({ name: decodeRefName(Buffer.from(name, "latin1")), id });
  }

  #peel(latin1: string, peeled: ObjectId): void {
    const ref = this.#refs.get(decodeRefName(Buffer.from(latin1, "latin1")));
    if (ref !== undefined) this.#refs.set(ref.name, { ...ref, peeled });
  }

  put(ref: RemoteRef): void {
    if (ref.name === "HEAD") return;
    this.#refs.set(ref.name, ref);
    if (this.#refs.size > this.#most) {
      throw new RemoteError("too-large", `the remote has more than ${this.#most} refs`);
    }
  }

  finish(): RemoteRefs {
    return { refs: [...this.#refs.values()], ...defined({ head: this.head }) };
  }
}
