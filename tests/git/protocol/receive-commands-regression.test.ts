import { describe, expect, it } from "vitest";
import { dataPacket, flushPacket, PacketReader } from "#core/git/protocol/pkt-line";
import { ProtocolError } from "#core/git/protocol/protocol-error";
import { readCommands } from "#core/git/protocol/receive-commands";

const zero = "0".repeat(40);
const id = "ab".repeat(20);
const command = (name: string, capabilities = "") => dataPacket(`${zero} ${id} ${name}${capabilities}`);

/** A body that counts how much of it was asked for. */
function bodyOf(pieces: Iterable<Buffer>) {
  const body = {
    pulled: 0,
    async *[Symbol.asyncIterator]() {
      for (const piece of pieces) {
        body.pulled += 1;
        yield piece;
      }
    },
  };
  return body;
}

function* repeated(first: Buffer, piece: Buffer, times: number): Generator<Buffer> {
  yield first;
  for (let count = 0; count < times; count++) yield piece;
  yield flushPacket;
}

describe("readCommands", () => {
  it("stops reading commands that have no end", async () => {
    const long = command(`refs/heads/${"n".repeat(65_000)}`);
    const body = bodyOf(repeated(command("refs/heads/a", "\0report-status"), long, 50_000));
    const reading = readCommands(new PacketReader(body), "sha1");
    await expect(reading).rejects.toThrow(ProtocolError);
    expect(body.pulled).toBeLessThan(1_100);
  });

  it.each([
    ["names beyond 4 KB", `refs/heads/${"n".repeat(5_000)}`, 100, "more than 4 KB", 1],
    ["names beyond 16 MB together", `refs/heads/${"n".repeat(4_000)}`, 6_000, "more than 16 MB", 4_200],
    ["more commands than are taken", "refs/heads/n", 50_100, "more than 50000 refs", 50_000],
  ])("%s are a problem of the push, and are not kept", async (_, name, times, problem, most) => {
    const body = bodyOf(repeated(command("refs/heads/a", "\0report-status"), command(name), times));
    const read = await readCommands(new PacketReader(body), "sha1");
    expect(read.problem).toContain(problem);
    expect(read.capabilities.has("report-status")).toBe(true);
    expect(read.changes.length).toBeLessThanOrEqual(most);
  });

  it("quotes no more of a strange capability than a line holds", async () => {
    const body = bodyOf([command("refs/heads/a", `\0${"x".repeat(60_000)}`), flushPacket]);
    const { problem = "" } = await readCommands(new PacketReader(body), "sha1");
    expect(problem).toContain("does not offer");
    expect(problem.length).toBeLessThan(200);
  });
});
