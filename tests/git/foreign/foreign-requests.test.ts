import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataPacket, flushPacket, PacketReader } from "#core/git/protocol/pkt-line";
import { type GitServer, startGitServer } from "#tests/git/http/git-server";
import { Folders, git, remoteRefs, runGit, WorkingCopy } from "#tests/git/http/real-git";

// Requests as JGit 6.7 and go-git 5.19 write them, which no package of the tests brings.
const folders = new Folders();
let server: GitServer;
let url: string;
let source: string;
let commits: string[];
beforeAll(async () => {
  server = await startGitServer();
  ({ url } = await server.create("known"));
  const work = await WorkingCopy.init(folders);
  const numbers = [1, 2, 3, 4, 5];
  commits = await work.commitAll(numbers.map((number) => ({ files: { "a.txt": `${number}\n` } })));
  await work.git("push", "-q", url, "main");
  source = work.folder;
});
afterAll(async () => {
  await server.stop();
  await folders.remove();
});

const delimiter = Buffer.from("0001");
const zero = "0".repeat(40);
const packets = (...lines: (string | Buffer)[]) =>
  Buffer.concat(lines.map((line) => (typeof line === "string" ? dataPacket(line) : line)));

async function post(to: string, service: "upload" | "receive", body: Buffer, headers = {}): Promise<Buffer> {
  const answer = await fetch(`${to}/git-${service}-pack`, {
    method: "POST",
    body: Uint8Array.from(body),
    headers: { "content-type": `application/x-git-${service}-pack-request`, ...headers },
  });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** The lines of an answer, flush packets and delimiters as such, and what came on side-band 1. */
async function taken(answer: Buffer): Promise<{ lines: string[]; pack: Buffer }> {
  const source = async function* () {
    yield answer;
  };
  const reader = new PacketReader(source());
  const lines: string[] = [];
  const pack: Buffer[] = [];
  for (let packet = await reader.read(); packet !== undefined; packet = await reader.read()) {
    if (packet.kind !== "data") lines.push(packet.kind);
    else if (packet.payload[0] === 1) pack.push(packet.payload.subarray(1));
    else if (packet.payload[0] !== 2) lines.push(packet.payload.toString().trimEnd());
  }
  return { lines, pack: Buffer.concat(pack) };
}

/** How many objects git finds in a pack. */
async function objectsIn(pack: Buffer): Promise<number> {
  const folder = await folders.make();
  await git(folder, ["init", "-q", "--bare"]);
  await git(folder, ["unpack-objects", "-q"], { input: pack });
  return Number(/^(\d+) objects/.exec(await git(folder, ["count-objects"]))?.[1]);
}

const packOf = async (revisions: string): Promise<Buffer> =>
  (await runGit(source, ["pack-objects", "--revs", "--stdout", "-q"], { input: `${revisions}\n` })).stdout;

describe("go-git", () => {
  const asked = "side-band-64k ofs-delta agent=go-git/5.x";
  const have = (place: number) => `have ${commits[place]}\n`;

  it("clones by protocol 0: wants, and done at once", async () => {
    const body = packets(`want ${commits[4]} ${asked} no-progress\n`, flushPacket, "done\n");
    const { lines, pack } = await taken(await post(url, "upload", body));
    expect(lines).toEqual(["NAK", "flush"]);
    expect(await objectsIn(pack)).toBe(15);
  });

  it("fetches with its haves and done in one request, of which the first in common is acknowledged", async () => {
    const unknown = `have ${"12".repeat(20)}\n`;
    const want = `want ${commits[4]} ${asked} no-progress include-tag\n`;
    const body = packets(want, flushPacket, unknown, have(2), have(1), "done\n");
    const { lines, pack } = await taken(await post(url, "upload", body));
    expect(lines).toEqual([`ACK ${commits[2]}`, "flush"]);
    expect(await objectsIn(pack)).toBe(6);
  });

  it("deepens with what it has, and is told the borders first", async () => {
    const want = `want ${commits[4]} ${asked} shallow no-progress\n`;
    const border = `shallow ${commits[4]}\n`;
    const body = packets(want, border, "deepen 3\n", flushPacket, have(4), "done\n");
    const { lines, pack } = await taken(await post(url, "upload", body));
    const borders = [`shallow ${commits[2]}`, `unshallow ${commits[4]}`, "flush"];
    expect(lines).toEqual([...borders, `ACK ${commits[4]}`, "flush"]);
    expect(await objectsIn(pack)).toBe(6);
  });

  it("pushes without a side-band and with no push options, and reads a plain report", async () => {
    const { url: fresh } = await server.create("by-go-git");
    const command = `${zero} ${commits[1]} refs/heads/main\0agent=go-git/5.x report-status push-options`;
    const body = packets(command, flushPacket, flushPacket, await packOf(commits[1] as string));
    const { lines } = await taken(await post(fresh, "receive", body));
    expect(lines).toEqual(["unpack ok", "ok refs/heads/main", "flush"]);
    expect(await remoteRefs(fresh)).toEqual([`${commits[1]} refs/heads/main`]);
  });
});

describe("JGit", () => {
  const agent = "agent=JGit/6.7.0.202309050840-r";
  const zipped = { "content-encoding": "gzip" };
  const v2 = { ...zipped, "git-protocol": "version=2" };
  const flags = ["include-tag", "ofs-delta", "thin-pack"];

  it("lists refs by protocol 2, its lines without a line feed, its body compressed", async () => {
    const prefixes = ["ref-prefix HEAD", "ref-prefix refs/tags/", "ref-prefix refs/heads/"];
    const body = packets("command=ls-refs", agent, delimiter, "peel", "symrefs", ...prefixes, flushPacket);
    const { lines } = await taken(await post(url, "upload", gzipSync(body), v2));
    const head = `${commits[4]} HEAD symref-target:refs/heads/main`;
    expect(lines).toEqual([head, `${commits[4]} refs/heads/main`, "flush"]);
  });

  it("clones one commit deep", async () => {
    const args = [...flags, `want ${commits[4]}\n`, "deepen 1", "done\n"];
    const body = packets("command=fetch", agent, delimiter, ...args, flushPacket);
    const { lines, pack } = await taken(await post(url, "upload", gzipSync(body), v2));
    expect(lines).toEqual(["shallow-info", `shallow ${commits[4]}`, "delimiter", "packfile", "flush"]);
    expect(await objectsIn(pack)).toBe(3);
  });

  it("asks with its haves until something is in common, and gets the pack at once", async () => {
    const asking = (id: string) =>
      packets(
        "command=fetch",
        agent,
        delimiter,
        ...flags,
        `want ${commits[4]}\n`,
        `have ${id}\n`,
        flushPacket,
      );
    const none = await taken(await post(url, "upload", gzipSync(asking("12".repeat(20))), v2));
    expect(none.lines).toEqual(["acknowledgments", "NAK", "flush"]);
    const some = await taken(await post(url, "upload", gzipSync(asking(commits[3] as string)), v2));
    const acknowledged = ["acknowledgments", `ACK ${commits[3]}`, "ready", "delimiter"];
    expect(some.lines).toEqual([...acknowledged, "packfile", "flush"]);
    expect(await objectsIn(some.pack)).toBe(3);
  });

  it("pushes a branch of commits that are here with a pack of nothing, and deletes it with none", async () => {
    const capabilities = `report-status delete-refs ofs-delta side-band-64k ${agent}`;
    const send = async (old: string, id: string, pack: Buffer) => {
      const body = packets(`${old} ${id} refs/heads/topic\0${capabilities}`, flushPacket, pack);
      const { pack: report } = await taken(await post(url, "receive", gzipSync(body), zipped));
      return (await taken(report)).lines;
    };
    const tip = commits[2] as string;
    const landed = ["unpack ok", "ok refs/heads/topic", "flush"];
    expect(await send(zero, tip, await packOf(`^${tip}`))).toEqual(landed);
    expect(await remoteRefs(url)).toContain(`${tip} refs/heads/topic`);
    expect(await send(tip, zero, Buffer.alloc(0))).toEqual(landed);
    expect(await remoteRefs(url)).toEqual([`${commits[4]} refs/heads/main`]);
  });
});
