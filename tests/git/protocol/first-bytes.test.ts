import { beforeAll, describe, expect, it } from "vitest";
import { dataPacket, flushPacket } from "#core/git/protocol/pkt-line";
import { type ProtocolVersion, uploadPack } from "#core/git/protocol/upload-pack";
import type { GitRepository } from "#core/git/repository";
import { commandOf } from "#tests/git/fetch/raw-fetch";
import { packsOf } from "#tests/git/memory/pack-sets";
import { memoryRepository, refsTo } from "#tests/git/memory/repository";
import { makeCommit } from "#tests/git/store/made-objects";

let repository: GitRepository;
let tip: string;
let parent: string;
beforeAll(async () => {
  const first = makeCommit("sha1");
  const second = makeCommit("sha1", [first.id]);
  [parent, tip] = [first.id, second.id];
  const packs = await packsOf("sha1", [...second.objects, ...first.objects]);
  repository = memoryRepository(packs, refsTo({ "refs/heads/main": tip }));
});

/** What comes while the packs can't be opened yet, and what comes in all. */
async function answer(
  version: ProtocolVersion,
  body: Buffer,
  early: number,
  keepAliveMs = 5,
): Promise<[string[], string]> {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow: GitRepository = { ...repository, packs: () => gate.then(() => repository.packs()) };
  const source = (async function* () {
    yield body;
  })();
  const pieces = uploadPack(slow, version, source, { keepAliveMs });
  const first: string[] = [];
  while (first.length < early) {
    const { value } = await pieces.next();
    first.push(Buffer.from((value as Uint8Array | undefined) ?? []).toString("latin1"));
  }
  release();
  let rest = "";
  for await (const piece of pieces) rest += Buffer.from(piece).toString("latin1");
  return [first, rest];
}

const keepAlive = "0005\x02";
const wantLine = () => dataPacket(`want ${tip} multi_ack_detailed side-band-64k thin-pack no-progress\n`);
const objectsIn = (pack: string) => Buffer.from(pack, "latin1").readUInt32BE(pack.indexOf("PACK") + 8);

describe("while the packs of a cold instance are being opened, the connection is kept alive", () => {
  it.each([
    [
      "v2, a clone",
      2,
      () => commandOf("sha1", "fetch", [`want ${tip}`, "done"]),
      ["000dpackfile\n", keepAlive],
    ],
    [
      "v2, a fetch with sideband-all",
      2,
      () =>
        commandOf("sha1", "fetch", [
          `want ${tip}`,
          "deepen 1",
          `have ${"12".repeat(20)}`,
          "sideband-all",
          "done",
        ]),
      [keepAlive, keepAlive],
    ],
    [
      "v2, a fetch of what no ref names, by who has some of it",
      2,
      () => commandOf("sha1", "fetch", [`want ${parent}`, `have ${"12".repeat(20)}`, "done"]),
      ["000dpackfile\n", keepAlive],
    ],
    [
      "v0, a fetch of what no ref names",
      0,
      () => Buffer.concat([dataPacket(`want ${parent} side-band-64k\n`), flushPacket, dataPacket("done\n")]),
      ["0008NAK\n", keepAlive],
    ],
    [
      "v0, a clone",
      0,
      () => Buffer.concat([dataPacket(`want ${tip} side-band-64k\n`), flushPacket, dataPacket("done\n")]),
      ["0008NAK\n", keepAlive],
    ],
    [
      "v0, a fetch whose haves are looked for",
      0,
      () => {
        const haves = [`have ${"12".repeat(20)}\n`, `have ${parent}\n`, "done\n"];
        return Buffer.concat([wantLine(), flushPacket, ...haves.map((line) => dataPacket(line))]);
      },
      ["0008NAK\n", keepAlive],
    ],
  ] as const)("%s", async (_, version, body, expected) => {
    const [early, rest] = await answer(version, body(), expected.length);
    expect(early).toEqual(expected);
    expect(rest).toContain("PACK");
    expect(rest.endsWith("0000")).toBe(true);
  });

  it("v2, a fetch whose haves are looked for", async () => {
    const body = commandOf("sha1", "fetch", [`want ${tip}`, `have ${parent}`]);
    // As long as the connection is silent, the way from the tip to what is common is looked for.
    const [early, rest] = await answer(2, body, 3, 500);
    expect(early).toEqual(["0014acknowledgments\n", "0008NAK\n", "0008NAK\n"]);
    expect(rest).toContain("ready\n");
    expect(rest).toContain("PACK");
    expect(rest.endsWith("0000")).toBe(true);
  });

  it("v0: haves that could not be looked for yet are none so far, and count for the pack all the same", async () => {
    const have = dataPacket(`have ${parent}\n`);
    const asked = Buffer.concat([wantLine(), flushPacket, have, flushPacket]);
    expect(await answer(0, asked, 1)).toEqual([["0008NAK\n"], ""]);
    const ended = Buffer.concat([wantLine(), flushPacket, have, dataPacket("done\n")]);
    const [early, rest] = await answer(0, ended, 1);
    expect(early).toEqual(["0008NAK\n"]);
    expect(objectsIn(rest), "the tip, its tree, its file").toBe(3);
  });

  it.each([
    ["v2", 2, (want: string) => commandOf("sha1", "fetch", [`want ${want}`, "done"]), "000dpackfile\n"],
    [
      "v0",
      0,
      (want: string) =>
        Buffer.concat([dataPacket(`want ${want} side-band-64k\n`), flushPacket, dataPacket("done\n")]),
      "0008NAK\n",
    ],
  ] as const)(
    "%s: a want that is refused late is told on side-band 3, and no pack follows",
    async (...of) => {
      const [, version, body, first] = of;
      const [early, rest] = await answer(version, body("ab".repeat(20)), 2);
      expect(early).toEqual([first, keepAlive]);
      expect(rest).toContain(`\x03upload-pack: not our ref ${"ab".repeat(20)}`);
      expect(rest).not.toContain("PACK");
    },
  );
});
