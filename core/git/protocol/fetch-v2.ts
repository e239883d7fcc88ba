import { Pacer } from "../../concurrency/pacer.ts";
import type { ObjectId } from "../format/object-format.ts";
import { findForbiddenWant } from "../history/select/hidden-objects.ts";
import { decodeRefName } from "../refs/ref-name.ts";
import { type GitRefs, type GitRepository, headEntry } from "../repository.ts";
import { FetchLines } from "./fetch-lines.ts";
import { keepAliveMs, orSilence, silence, withKeepAlive } from "./keep-alive.ts";
import { Negotiation } from "./negotiation.ts";
import { dataPacket, delimiterPacket, flushPacket, inPieces } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";
import { band, bandFrame, keepAliveFrame } from "./side-band.ts";
import { type SideBandPack, sideBandPack } from "./side-band-pack.ts";
import type { UploadPackOptions } from "./upload-pack.ts";
import { addBounded, idOf, mostHaves, mostWants, notOurRef, unexpectedLine } from "./upload-request.ts";

/** The features of the v2 command fetch beyond the plain protocol (gitprotocol-v2). */
export const fetchFeatures = ["shallow", "wait-for-done", "filter", "ref-in-want", "sideband-all"] as const;

const fetchFlags = new Set([
  "done",
  "thin-pack",
  "no-progress",
  "include-tag",
  "ofs-delta",
  "wait-for-done",
  "sideband-all",
]);

interface FetchArguments {
  readonly wants: Set<ObjectId>;
  /** Wants by name: each ref with its object. */
  readonly wantedRefs: Map<string, ObjectId>;
  readonly haves: Set<ObjectId>;
  readonly flags: Set<string>;
  readonly lines: FetchLines;
}

async function parseFetch(repository: GitRepository, lines: readonly string[]): Promise<FetchArguments> {
  const { format } = repository;
  const parsed: FetchArguments = {
    wants: new Set(),
    wantedRefs: new Map(),
    haves: new Set(),
    flags: new Set(),
    lines: new FetchLines(format),
  };
  const pacer = new Pacer();
  for (const line of lines) {
    if (pacer.isDue()) await pacer.pause();
    if (line.startsWith("want ")) addBounded(parsed.wants, idOf(format, line, "want"), mostWants);
    else if (line.startsWith("have ")) addBounded(parsed.haves, idOf(format, line, "have"), mostHaves);
    else if (line.startsWith("want-ref ")) addWantedRef(parsed.wantedRefs, repository, line.slice(9));
    else if (fetchFlags.has(line)) parsed.flags.add(line);
    else if (!parsed.lines.take(line)) throw unexpectedLine(line);
  }
  return parsed;
}

/** Names are latin1, as in the lines. */
function addWantedRef(wanted: Map<string, ObjectId>, refs: GitRefs, latin1Name: string): void {
  const name = decodeRefName(Buffer.from(latin1Name, "latin1"));
  const entry = name === "HEAD" ? headEntry(refs) : refs.refs.find(name);
  if (entry === undefined) throw new ProtocolError(`unknown ref ${latin1Name.slice(0, 200)}`);
  if (wanted.has(latin1Name)) throw new ProtocolError(`duplicate want-ref ${latin1Name.slice(0, 200)}`);
  wanted.set(latin1Name, entry.id);
}

/**
 * Answers the v2 command fetch. With `sideband-all` every line goes out on side-band 1, so that empty frames can keep
 * the connection alive before the pack, too.
 */
export async function* fetchV2(
  repository: GitRepository,
  lines: readonly string[],
  options: UploadPackOptions,
): AsyncGenerator<Uint8Array> {
  const request = await parseFetch(repository, lines);
  const answer = new FetchAnswer(repository, request, options);
  if (!request.flags.has("sideband-all")) {
    yield* answer.head();
  } else {
    try {
      yield* withKeepAlive(answer.head(), () => keepAliveFrame, options.keepAliveMs ?? keepAliveMs);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      yield bandFrame(band.error, error.message);
      return;
    }
  }
  if (answer.pack !== undefined) yield* sideBandPack(answer.pack);
  yield flushPacket;
}

class FetchAnswer {
  /** The pack that is to follow the head, if any. */
  pack: SideBandPack | undefined;
  readonly #repository: GitRepository;
  readonly #request: FetchArguments;
  readonly #options: UploadPackOptions;

  constructor(repository: GitRepository, request: FetchArguments, options: UploadPackOptions) {
    this.#repository = repository;
    this.#request = request;
    this.#options = options;
  }

  /** A line of the answer; latin1, as ref names are. */
  #line(text: string): Buffer {
    const line = Buffer.from(text, "latin1");
    return this.#request.flags.has("sideband-all") ? bandFrame(band.data, line) : dataPacket(line);
  }

  #lines(ids: Iterable<ObjectId>, textOf: (id: ObjectId) => string): AsyncGenerator<Buffer> {
    const line = (id: ObjectId) => this.#line(textOf(id));
    return inPieces(
      (function* () {
        for (const id of ids) yield line(id);
      })(),
    );
  }

  /** When this takes long, the pack's band opens meanwhile: the connection can be kept alive on it. */
  async *head(): AsyncGenerator<Buffer> {
    const { wants, wantedRefs, haves, flags } = this.#request;
    const waitsForDone = flags.has("wait-for-done");
    const all = [...new Set([...wants, ...wantedRefs.values()])];
    if (all.length === 0 && !(waitsForDone && haves.size > 0)) return;
    const negotiation = new Negotiation(() => this.#repository.packs(), all, this.#options.signal);
    const settling = this.#settle(negotiation);
    if (haves.size > 0 && !flags.has("done")) {
      yield* this.#acknowledgments(settling);
      if (waitsForDone || !(await negotiation.isReady(this.#patienceMs))) return;
      yield this.#line("ready\n");
      yield delimiterPacket;
    }
    // The objects that the client has in common with us. Rejects with a ProtocolError when it may not have its wants.
    const settled = await orSilence(settling, this.#patienceMs);
    yield* this.#sections(all, settled === silence ? settling : settled);
  }

  get #patienceMs(): number {
    return this.#options.keepAliveMs ?? keepAliveMs;
  }

  /** The objects that the client has in common with us. Rejects with a ProtocolError when it may not have its wants. */
  #settle(negotiation: Negotiation): Promise<ReadonlySet<ObjectId>> {
    const settle = async () => {
      const { wants, haves } = this.#request;
      const forbidden = await findForbiddenWant(this.#repository, [...wants], this.#options.signal);
      if (forbidden !== undefined) throw notOurRef(forbidden);
      for (const id of haves) await negotiation.offer(id);
      return negotiation.common;
    };
    const settling = settle();
    settling.catch(() => undefined); // the waiting code sees the error
    return settling;
  }

  /** Clients skip a NAK here: it keeps this part alive for clients without side-bands for everything. */
  async *#acknowledgments(settling: Promise<ReadonlySet<ObjectId>>): AsyncGenerator<Buffer> {
    let found = await orSilence(settling, this.#patienceMs);
    yield this.#line("acknowledgments\n");
    while (found === silence) {
      yield this.#line("NAK\n");
      found = await orSilence(settling, this.#patienceMs);
    }
    yield* this.#lines(found, (id) => `ACK ${id}\n`);
    if (found.size === 0) yield this.#line("NAK\n");
  }

  async *#sections(wants: readonly ObjectId[], common: SideBandPack["common"]): AsyncGenerator<Buffer> {
    const { lines, wantedRefs, flags } = this.#request;
    const history = await lines.history(this.#repository, wants, this.#options.signal);
    if (lines.isShallow) {
      // Borders come without line feeds, as git writes them: libgit2 counts their bytes.
      yield this.#line("shallow-info\n");
      yield* this.#lines(history.shallow, (id) => `shallow ${id}`);
      yield* this.#lines(history.unshallow, (id) => `unshallow ${id}`);
      yield delimiterPacket;
    }
    if (wantedRefs.size > 0) {
      yield this.#line("wanted-refs\n");
      for (const [name, id] of wantedRefs) yield this.#line(`${id} ${name}\n`);
      yield delimiterPacket;
    }
    yield this.#line("packfile\n");
    this.pack = {
      repository: this.#repository,
      wants,
      common,
      history,
      filter: lines.filter,
      isThin: flags.has("thin-pack"),
      usesOfsDelta: flags.has("ofs-delta"),
      includesTags: flags.has("include-tag"),
      showsProgress: !flags.has("no-progress"),
      ...this.#options,
    };
  }
}
