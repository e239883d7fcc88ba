import { describe, expect, it } from "vitest";
import { checkObject } from "#core/git/format/check";
import { checkGitmodules } from "#core/git/format/check-gitmodules";
import { commitMessage, parseCommit } from "#core/git/format/commit";
import { hashBytes, type ObjectFormat } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { parseTag, tagMessage } from "#core/git/format/tag";
import { parseTree } from "#core/git/format/tree";
import { parseCommitLinks } from "#core/git/history/commit-links";
import { largeObjectBytes } from "#core/git/ingest/ingest-limits";
import { applyDelta, readDeltaHeader } from "#core/git/pack/delta";
import { SideFile } from "#core/git/pack/side-file";
import { dataPacket, flushPacket, PacketReader } from "#core/git/protocol/pkt-line";
import { ProtocolError } from "#core/git/protocol/protocol-error";
import { readCommands } from "#core/git/protocol/receive-commands";
import { uploadPack } from "#core/git/protocol/upload-pack";
import { decodeRefName, encodeRefName } from "#core/git/refs/ref-name";
import { inPieces, take } from "#tests/git/ingest/taken";
import { packsOf } from "#tests/git/memory/pack-sets";
import { memoryRepository, refsTo } from "#tests/git/memory/repository";
import { delta } from "#tests/git/pack/raw-pack";
import { makeCommit, makeTag } from "#tests/git/store/made-objects";
import { makePack } from "#tests/support/git/make-pack";
import { createRandom, type Random } from "#tests/support/random";
import { mutate } from "./mutate.ts";

/**
 * What one case may take of memory at most, however much its input claims to hold. Of a pack a base and an object
 * below `largeObjectBytes` are in memory at a time, and pieces of its file.
 */
const mostBytes = { arrayBuffers: 2 * largeObjectBytes + 32 * 2 ** 20, heapUsed: 96 * 2 ** 20 };

/** Fails when a piece of work takes more memory than its input justifies. */
async function withinMemory(work: () => unknown): Promise<void> {
  const before = process.memoryUsage();
  await work();
  const after = process.memoryUsage();
  for (const kind of ["arrayBuffers", "heapUsed"] as const)
    expect(after[kind] - before[kind], kind).toBeLessThan(mostBytes[kind]);
}

/** Runs one case many times; its seed repeats a failure. No round takes more memory than small inputs justify. */
async function fuzz(rounds: number, round: (random: Random) => unknown): Promise<void> {
  const random = createRandom();
  for (let number = 0; number < rounds; number++) {
    try {
      await withinMemory(() => round(random));
    } catch (error) {
      throw new Error(`seed ${random.seed}, round ${number}`, { cause: error });
    }
  }
}

/** A refusal is a plain error with words; anything else is a mistake of ours. */
function refusing(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if ((error as Error).constructor !== Error) throw error;
  }
}

const formats: readonly ObjectFormat[] = ["sha1", "sha256"];

/** Objects that parsers meet, one of each kind. */
function samples(format: ObjectFormat): GitObject[] {
  const commit = makeCommit(format, [makeCommit(format).id]);
  const signed = Buffer.concat([
    (commit.objects[0] as GitObject).data.subarray(0, -20),
    Buffer.from("\ngpgsig -----BEGIN\n line\n \n -----END\nencoding latin1\n\nmessage \xe4\n", "latin1"),
  ]);
  return [...commit.objects, makeTag(commit.id), { type: "commit", data: signed }];
}

/** Parsers of what strangers send, given what no honest client sends. `scale` multiplies the rounds. */
export function testParsers(scale: number): void {
  describe.each(formats)("fuzzed objects (%s)", (format) => {
    it("commits, tags and trees are read or refused in words", () =>
      fuzz(400 * scale, (random) => {
        const sample = random.pick(samples(format));
        const data = mutate(random, sample.data);
        expect(() => checkObject(format, sample.type, data)).not.toThrow();
        const isSound = checkObject(format, sample.type, data) === undefined;
        const parse = {
          commit: () => {
            commitMessage(parseCommit(data));
            parseCommitLinks(data);
          },
          tag: () => tagMessage(parseTag(data)),
          tree: () => parseTree(format, data),
          blob: () => checkGitmodules(data),
        }[sample.type];
        if (isSound) parse();
        else refusing(parse);
      }));

    it("what passes the checks of a push can be packed and read", () =>
      fuzz(100 * scale, (random) => {
        const sample = random.pick(samples(format));
        const data = mutate(random, sample.data);
        if (checkObject(format, sample.type, data) !== undefined) return;
        expect(makePack(format, [{ type: sample.type, data }]).objects).toBe(1);
      }));

    it("side files are read or refused, with and without a right checksum", () =>
      fuzz(300 * scale, (random) => {
        const { side } = makePack(format, samples(format).slice(0, 3));
        const changed = mutate(random, Buffer.from(side));
        const width = format === "sha1" ? 20 : 32;
        const body = changed.subarray(0, Math.max(0, changed.length - width));
        const sent = random.chance(0.5) ? changed : Buffer.concat([body, hashBytes(format, body)]);
        refusing(() => new SideFile(sent).find(hashBytes(format, body)));
      }));

    it("enormous claims take no memory", async () => {
      const { side } = makePack(format, samples(format).slice(0, 3));
      const width = format === "sha1" ? 20 : 32;
      for (let at = 0; at + 4 <= side.length - width; at += 4) {
        const body = Buffer.from(side.subarray(0, -width));
        body.fill(0xff, at, at + 4);
        const sent = Buffer.concat([body, hashBytes(format, body)]);
        await withinMemory(() => refusing(() => new SideFile(sent).find(hashBytes(format, body))));
      }
      const entry = Buffer.concat([Buffer.from("100644 a\0"), Buffer.alloc(width, 1)]);
      const tree = Buffer.alloc(2 ** 20, entry);
      const commit = Buffer.alloc(2 ** 20, `parent ${"1".repeat(2 * width)}\n`);
      for (const [type, data] of [["tree", tree] as const, ["commit", commit] as const]) {
        await withinMemory(() => expect(checkObject(format, type, data)).not.toBeUndefined());
      }
      await withinMemory(() => refusing(() => parseTree(format, tree)));
      await withinMemory(() => refusing(() => parseCommit(commit)));
    });

    it("packs are taken or refused, and nothing is thrown", { timeout: 600_000 }, () =>
      fuzz(60 * scale, async (random) => {
        const pack = makePack(format, samples(format)).content as Buffer;
        const width = format === "sha1" ? 20 : 32;
        const body = mutate(random, pack.subarray(0, -width));
        const sent = Buffer.concat([body, hashBytes(format, body)]);
        const result = await take(format, sent, { pieceBytes: 1 + random.integer(400) });
        if (result.ok) await result.pack.dispose();
        else expect(result.reason.message).not.toBe("");
      }),
    );
  });

  describe("fuzzed deltas", () => {
    const base = Buffer.from("the base that all deltas of this test copy from, twice over. ".repeat(3));
    const made = Buffer.concat([base.subarray(10, 60), Buffer.from("new"), base.subarray(0, 100)]);
    const sound = delta(base.length, made.length, [
      { from: 10, size: 50 },
      Buffer.from("new"),
      { from: 0, size: 100 },
    ]);

    it("make what the instructions say, or nothing, and never write outside", () =>
      fuzz(2_000 * scale, (random) => {
        const sent = mutate(random, sound);
        const header = readDeltaHeader(sent, 0, sent.length);
        if (header === undefined || header.resultSize > 10_000) return;
        const guard = 64;
        const target = Buffer.alloc(header.resultSize + 2 * guard, 0xa5);
        const isApplied = applyDelta(
          { bytes: sent, start: header.at, end: sent.length },
          { bytes: base, start: 0, end: base.length },
          { bytes: target, start: guard, end: guard + header.resultSize },
        );
        const edges = Buffer.concat([target.subarray(0, guard), target.subarray(-guard)]);
        expect(edges.every((byte) => byte === 0xa5)).toBe(true);
        const expected = slowlyApplied(sent.subarray(header.at), base);
        const isRight = expected?.length === header.resultSize;
        expect(isApplied).toBe(isRight);
        if (isRight) expect(target.subarray(guard, -guard).equals(expected)).toBe(true);
      }));
  });

  describe("enormous claims", () => {
    it("of deltas and packets take no memory", async () => {
      const huge = Buffer.from([
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        0x7f,
        ...Array(6).fill(0xff),
        0x7f,
        0x80,
      ]);
      await withinMemory(() => readDeltaHeader(huge, 0, huge.length));
      const packets = [Buffer.from("ffffxx"), Buffer.from("fff0"), Buffer.from("0004".repeat(200_000))];
      for (const sent of packets) {
        await withinMemory(async () => {
          const reader = new PacketReader(inPieces(sent, 1_000));
          try {
            while ((await reader.read()) !== undefined);
          } catch (error) {
            if (!(error instanceof ProtocolError)) throw error;
          }
        });
      }
    });
  });

  describe.each(formats)("fuzzed requests (%s)", (format) => {
    const id = (digit: string) => digit.repeat(format === "sha1" ? 40 : 64);
    const capabilities = `report-status-v2 side-band-64k push-options atomic object-format=${format} agent=git/2`;
    const push = Buffer.concat([
      dataPacket(`shallow ${id("c")}\n`),
      dataPacket(`${id("0")} ${id("a")} refs/heads/main\0${capabilities}`),
      dataPacket(`${id("a")} ${id("0")} refs/heads/old`),
      flushPacket,
      dataPacket("ci.skip"),
      flushPacket,
    ]);

    it("commands of pushes are read or refused, in pieces of any size", () =>
      fuzz(600 * scale, async (random) => {
        const sent = mutate(random, push);
        const read = async (pieceBytes: number) => {
          try {
            return await readCommands(new PacketReader(inPieces(sent, pieceBytes)), format);
          } catch (error) {
            if (!(error instanceof ProtocolError)) throw error;
            return error.message;
          }
        };
        expect(await read(1 + random.integer(30))).toEqual(await read(sent.length + 1));
      }));

    it("fetches of every version end with an answer", async () => {
      const first = makeCommit(format);
      const commit = makeCommit(format, [first.id]);
      const packs = await packsOf(format, [...first.objects, ...commit.objects]);
      const repository = memoryRepository(packs, refsTo({ "refs/heads/main": commit.id }));
      const requests = [
        ...[0, 1, 2].map((version) => [version, fetchRequest(version, commit.id, first.id)] as const),
        ...[0, 1, 2].map((version) => [version, deepRequest(version, commit.id, first.id)] as const),
        [2, objectInfoRequest(format, commit.id)] as const,
      ];
      const answerTo = async (version: number, sent: Buffer) => {
        const answer: Uint8Array[] = [];
        for await (const piece of uploadPack(repository, version as 0 | 1 | 2, inPieces(sent, 50)))
          answer.push(piece);
        return Buffer.concat(answer);
      };
      for (const [version, request] of requests) {
        expect((await answerTo(version, request)).toString("latin1")).not.toContain("ERR ");
      }
      await fuzz(400 * scale, async (random) => {
        const [version, request] = random.pick(requests);
        expect((await answerTo(version, mutate(random, request))).length).toBeLessThan(100_000);
      });
    });
  });

  describe("fuzzed names", () => {
    it("names of refs come back byte for byte, and are text exactly when they are UTF-8", () =>
      fuzz(2_000 * scale, (random) => {
        const bytes = mutate(random, Buffer.from("refs/heads/größe-中文-🙂"));
        const name = decodeRefName(bytes);
        expect(encodeRefName(name).equals(bytes)).toBe(true);
        expect(/[\ud800-\udfff]/u.test(name)).toBe(!isUtf8(bytes));
      }));
  });
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** A delta's instructions carried out byte by byte, by the text of gitformat-pack; undefined for nonsense. */
function slowlyApplied(code: Buffer, base: Buffer): Buffer | undefined {
  const out: number[] = [];
  for (let at = 0; at < code.length; ) {
    const op = code[at++] as number;
    if (op === 0) return undefined;
    if (op < 128) {
      if (at + op > code.length) return undefined;
      out.push(...code.subarray(at, at + op));
      at += op;
      continue;
    }
    const fields = [0, 0, 0, 0, 0, 0, 0];
    for (let bit = 0; bit < 7; bit++) {
      if ((op & (1 << bit)) === 0) continue;
      if (at === code.length) return undefined;
      fields[bit] = code[at++] as number;
    }
    const number = (bytes: readonly number[]) =>
      bytes.reduce((sum, byte, index) => sum + byte * 256 ** index, 0);
    const from = number(fields.slice(0, 4));
    const size = number(fields.slice(4)) || 65_536;
    if (from + size > base.length) return undefined;
    out.push(...base.subarray(from, from + size));
  }
  return Buffer.from(out);
}

function fetchRequest(version: number, want: string, have: string): Buffer {
  const delimiter = Buffer.from("0001");
  if (version === 2) {
    const lines = ["thin-pack\n", "ofs-delta\n", `want ${want}\n`, `have ${have}\n`, "done\n"];
    const list = [
      dataPacket("command=ls-refs\n"),
      formatLine(want),
      delimiter,
      dataPacket("peel\n"),
      flushPacket,
    ];
    const fetch = lines.map((line) => dataPacket(line));
    return Buffer.concat([
      ...list,
      dataPacket("command=fetch\n"),
      formatLine(want),
      delimiter,
      ...fetch,
      flushPacket,
    ]);
  }
  return Buffer.concat([
    dataPacket(`want ${want} multi_ack_detailed side-band-64k thin-pack ofs-delta ${formatOf(want)}\n`),
    flushPacket,
    dataPacket(`have ${have}\n`),
    flushPacket,
    dataPacket("done\n"),
  ]);
}

const delimiter = Buffer.from("0001");

const formatOf = (id: string): string => `object-format=${id.length === 40 ? "sha1" : "sha256"}`;
const formatLine = (id: string): Buffer => dataPacket(`${formatOf(id)}\n`);

/** With every line that changes what is sent: borders, filters, and wants by name. */
function deepRequest(version: number, want: string, have: string): Buffer {
  const bounds = [`shallow ${have}\n`, "deepen 2\n", "filter combine:tree:3+blob:limit%3D9\n"];
  if (version === 2) {
    const lines = [
      ...["want-ref refs/heads/main\n", `want ${want}\n`, ...bounds, "deepen-relative\n"],
      ...["sideband-all\n", "include-tag\n", `have ${have}\n`, "wait-for-done\n", "done\n"],
    ];
    const fetch = lines.map((line) => dataPacket(line));
    return Buffer.concat([dataPacket("command=fetch\n"), formatLine(want), delimiter, ...fetch, flushPacket]);
  }
  const capabilities = "multi_ack_detailed side-band-64k shallow deepen-relative filter include-tag no-done";
  return Buffer.concat([
    dataPacket(`want ${want} ${capabilities} ${formatOf(want)}\n`),
    ...bounds.map((line) => dataPacket(line)),
    flushPacket,
    dataPacket(`have ${have}\n`),
    dataPacket("done\n"),
  ]);
}

function objectInfoRequest(format: ObjectFormat, id: string): Buffer {
  const head = [dataPacket("command=object-info\n"), dataPacket(`object-format=${format}\n`), delimiter];
  return Buffer.concat([...head, dataPacket("size\n"), dataPacket(`oid ${id}\n`), flushPacket]);
}
