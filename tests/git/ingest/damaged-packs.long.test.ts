import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { hashBytes, type ObjectFormat } from "#core/git/format/object-format";
import { generateRepository } from "#tests/support/git/git-generator";
import { createRandom } from "#tests/support/random";
import { packOfRevisions, temporaryFolder } from "../pack/real-git.ts";
import { take } from "./taken.ts";

describe.each<ObjectFormat>(["sha1", "sha256"])("ingestPack refuses %s packs", (format) => {
  const checksumBytes = format === "sha1" ? 20 : 32;
  let pack: Buffer;

  beforeAll(async () => {
    const folder = join(await temporaryFolder("file"), "generated");
    await generateRepository({ folder, objects: 400, format });
    pack = await packOfRevisions(folder, ["main"]);
  });

  it("damaged anywhere, in bounded memory", async () => {
    const random = createRandom();
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 60; round++) {
      const sent = damaged(random, pack);
      const result = await take(format, sent, { pieceBytes: 1 + random.integer(5000) });
      expect(result.ok, `seed ${random.seed}, round ${round}`).toBe(false);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(250 * 2 ** 20);
  });

  it("damaged anywhere but with a right checksum, or takes them in sound", async () => {
    const random = createRandom();
    for (let round = 0; round < 60; round++) {
      const body = damaged(random, pack.subarray(0, -checksumBytes));
      const checksum = hashBytes(format, body);
      const result = await take(format, Buffer.concat([body, checksum]));
      if (result.ok) await result.pack.dispose();
      else expect(result.reason.kind, `seed ${random.seed}, round ${round}`).not.toBe("worker-failed");
    }
  });
});
function damaged(random: ReturnType<typeof createRandom>, pack: Buffer): Buffer {
  const at = random.integer(pack.length);
  const sent = Buffer.from(pack);
  switch (random.integer(5)) {
    case 0:
      return sent.subarray(0, at);
    case 1:
      return Buffer.concat([sent.subarray(0, at), sent.subarray(at + 1 + random.integer(50))]);
    case 2:
      return Buffer.concat([sent.subarray(0, at), deflateSync(Buffer.alloc(10)), sent.subarray(at)]);
    case 3:
      return sent.fill(
        ((sent[at] as number) + 1 + random.integer(255)) & 0xff,
        at,
        at + 1 + random.integer(30),
      );
    default:
      sent[at] = (sent[at] as number) ^ (1 << random.integer(8));
      return sent;
  }
}
