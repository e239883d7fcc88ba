import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { dataPacket, flushPacket } from "#core/git/protocol/pkt-line";
import { type GitServer, startGitServer } from "./git-server.ts";
import { Folders, WorkingCopy } from "./real-git.ts";

let server: GitServer;
const folders = new Folders();
let tip: string;
beforeAll(async () => {
  server = await startGitServer();
  const { url } = await server.create("known");
  await server.create("empty");
  await server.create("wide", { format: "sha256" });
  const work = await WorkingCopy.init(folders);
  tip = await work.commit({ "a.txt": "a\n" });
  await work.git("push", "-q", url, "main");
});
afterAll(async () => {
  await server.stop();
  await folders.remove();
});

const ask = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init);
const post = (
  service: "upload" | "receive",
  body: Buffer | string,
  headers: Record<string, string> = {},
  repo = "known",
) =>
  ask(`/alice/${repo}/git-${service}-pack`, {
    method: "POST",
    body: typeof body === "string" ? body : Uint8Array.from(body),
    headers: { "content-type": `application/x-git-${service}-pack-request`, ...headers },
  });
const v2 = { "git-protocol": "version=2" };
const packets = (...lines: (string | Buffer)[]) =>
  Buffer.concat(lines.map((line) => (typeof line === "string" ? dataPacket(line) : line)));
const delimiter = Buffer.from("0001");

describe("the Go command", () => {
  it("is told of any path below a repository what to clone, whether that is there or not", async () => {
    for (const path of ["/alice/known", "/alice/known.git", "/alice/known/deep/package", "/no/body"]) {
      const answer = await ask(`${path}?go-get=1`);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      const [, owner, name] = /^\/(\w+)\/(\w+)/.exec(path) ?? [];
      expect(await answer.text()).toMatch(
        new RegExp(
          `<meta name="go-import" content="[\\w.:]+/${owner}/${name} git https?://[\\w.:]+/${owner}/${name}.git">`,
        ),
      );
    }
  });

  it("400: no path of a repository; other requests are none of it", async () => {
    for (const path of ["/alice", "/", '/alice/"><script>', "/alice/%22"]) {
      expect([path, (await ask(`${path}?go-get=1`)).status]).toEqual([path, 400]);
    }
    expect((await ask("/alice/known?go-get=0")).status).toBe(404);
    expect((await ask("/alice/known")).status).toBe(404);
    expect((await ask("/alice/known?go-get=1", { method: "POST" })).status).toBe(404);
  });
});

describe("the root", () => {
  it("tells who comes by where the API and the repositories are", async () => {
    const answer = await ask("/");
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringMatching(/\/api\/v1.*git clone/s),
    ]);
  });
});

describe("an address without a page", () => {
  it("says the same where something is and where nothing is, and where to read on", async () => {
    const texts = [];
    for (const path of ["/alice/known", "/alice/known/pulls/1", "/alice/absent", "/alice", "/a/b/c/d"]) {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 404]);
      texts.push(await answer.text());
    }
    expect(texts[0]).toMatch(/no page here.*\/api\/swagger.*git clone/s);
    expect(new Set(texts).size).toBe(1);
  });
});

describe("info/refs", () => {
  it.each(["/alice/known", "/alice/known.git"])("answers under %s with git's own headers", async (path) => {
    const answer = await ask(`${path}/info/refs?service=git-upload-pack`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/x-git-upload-pack-advertisement");
    expect(answer.headers.get("cache-control")).toContain("no-cache");
    expect(answer.headers.get("pragma")).toBe("no-cache");
    const text = await answer.text();
    expect(text.startsWith("001e# service=git-upload-pack\n0000")).toBe(true);
    expect(text).toContain(`${tip} HEAD\0`);
    expect(text).toContain("symref=HEAD:refs/heads/main");
    expect(text).toContain("object-format=sha1");
    expect(text).toContain(`${tip} refs/heads/main\n`);
  });

  it("answers HEAD without a body", async () => {
    const answer = await ask("/alice/known/info/refs?service=git-upload-pack", { method: "HEAD" });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
  });

  it("names capabilities and no refs to a v2 client, and the version to a v1 client", async () => {
    const second = await ask("/alice/wide/info/refs?service=git-upload-pack", { headers: v2 });
    expect(await second.text()).toMatch(/^000eversion 2\n.*object-format=sha256\n0000$/s);
    const first = await ask("/alice/known/info/refs?service=git-upload-pack", {
      headers: { "git-protocol": "version=1" },
    });
    expect(await first.text()).toContain("0000000eversion 1\n");
  });

  it("offers a push what this server takes", async () => {
    const text = await (await ask("/alice/empty/info/refs?service=git-receive-pack", { headers: v2 })).text();
    expect(text).toContain(`${"0".repeat(40)} capabilities^{}\0report-status`);
    for (const word of [
      "report-status-v2",
      "push-options",
      "delete-refs",
      "side-band-64k",
      "ofs-delta",
      "atomic",
      "quiet",
      "object-format=sha1",
    ]) {
      expect(text).toContain(word);
    }
  });

  it("401 with a challenge for a repository that an anonymous caller can't see, 404 with credentials", async () => {
    const path = "/alice/none/info/refs?service=git-upload-pack";
    const anonymous = await ask(path);
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
    const known = await ask(path, { headers: { authorization: "Basic YTpi" } });
    expect([known.status, await known.text()]).toEqual([404, "repository does not exist\n"]);
  });

  it.each([
    ["without a service", "/alice/known/info/refs", 400, "smart HTTP"],
    ["of an unknown service", "/alice/known/info/refs?service=git-upload-archive", 400, "no service"],
    [
      "of a service named like a prototype's",
      "/alice/known/info/refs?service=constructor",
      400,
      "no service",
    ],
    ["of a service named like a setter", "/alice/known/info/refs?service=__proto__", 400, "no service"],
    ["for files of the dumb protocol", "/alice/known/HEAD", 404, "dumb protocol"],
    ["for loose objects", "/alice/known/objects/ab/cdef", 404, "dumb protocol"],
    ["by GET of a service", "/alice/known/git-upload-pack", 405, "POST"],
    ["elsewhere", "/alice/known/other", 404, "no page here"],
  ])("%s is refused clearly", async (_, path, status, text) => {
    const answer = await ask(path);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(text);
    expect(answer.headers.get("cache-control")).toContain("no-cache");
  });
});

describe("the services", () => {
  it("415 for another content type, or an encoding that is not read", async () => {
    expect((await post("upload", "0000", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post("upload", "0000", { "content-encoding": "br" })).status).toBe(415);
  });

  it("answer the probe that git sends before a large push", async () => {
    const answer = await post("receive", "0000");
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    const direct = await server.app.request("/alice/known/git-receive-pack", {
      method: "POST",
      body: "0000",
      headers: { "content-type": "application/x-git-receive-pack-request" },
    });
    expect(direct.body, "a stream without a byte is a failure on Lambda").toBeNull();
  });

  it("read gzip, also in many members' worth of haves", async () => {
    const haves = Array.from(
      { length: 2_000 },
      (_, index) => `have ${index.toString(16).padStart(40, "0")}\n`,
    );
    const body = packets(
      `want ${tip} multi_ack_detailed side-band-64k ofs-delta\n`,
      flushPacket,
      ...haves,
      flushPacket,
    );
    const answer = await post("upload", gzipSync(body), { "content-encoding": "gzip" });
    expect([answer.status, await answer.text()]).toEqual([200, "0008NAK\n"]);
  });

  it("400 for what is neither pkt-line nor gzip", async () => {
    const plain = await post("receive", "GET / HTTP/1.1\r\n\r\n");
    expect([plain.status, await plain.text()]).toEqual([400, "the request is not in the pkt-line format\n"]);
    const zipped = await post("receive", "no gzip at all", { "content-encoding": "gzip" });
    expect([zipped.status, await zipped.text()]).toEqual([400, "the request is not valid gzip\n"]);
  });

  it("413 for a gzip bomb in a fetch", async () => {
    const line = packets(`have ${"a".repeat(40)}\n`);
    const body = Buffer.concat([
      packets(`want ${tip} multi_ack_detailed\n`, flushPacket),
      Buffer.concat(Array.from({ length: 400_000 }, () => line)),
    ]);
    const answer = await post("upload", gzipSync(body), { "content-encoding": "gzip" });
    expect(answer.status).toBe(413);
  });

  it("end a request that falls silent", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Uint8Array.from(Buffer.from("00"))),
      pull: () => new Promise(() => undefined),
    });
    const hasty = await startGitServer({ idleMs: 300 });
    onTestFinished(() => hasty.stop());
    const { url } = await hasty.create("known");
    const answer = await fetch(`${url}/git-receive-pack`, {
      method: "POST",
      body,
      duplex: "half",
      headers: { "content-type": "application/x-git-receive-pack-request" },
    } as RequestInit);
    expect([answer.status, answer.headers.get("connection")]).toEqual([408, "close"]);
    expect(await answer.text()).toContain("the body came too slowly: less than 150 bytes in 0.3 s");
  });
});

describe("fetch requests", () => {
  const unknown = "12".repeat(20);
  const shallows = (count: number) =>
    Array.from({ length: count }, (_, index) => `shallow ${index.toString(16).padStart(40, "0")}\n`);

  it.each([
    [
      "v0, an object that is not there",
      {},
      () => packets(`want ${unknown} side-band-64k\n`, flushPacket, "done\n"),
      `not our ref ${unknown}`,
    ],
    [
      "v2, an object that is not there",
      v2,
      () => packets("command=fetch\n", delimiter, `want ${unknown}\n`, "done\n", flushPacket),
      `not our ref ${unknown}`,
    ],
    [
      "v0, a capability not offered",
      {},
      () => packets(`want ${tip} push-options\n`, flushPacket, "done\n"),
      '"push-options"',
    ],
    [
      "v2, a capability not offered",
      v2,
      () => packets("command=fetch\n", "session-key=1\n", flushPacket),
      '"session-key"',
    ],
    [
      "v0, the other object format",
      {},
      () => packets(`want ${"a".repeat(64)} object-format=sha256\n`, flushPacket),
      "uses sha1 object ids",
    ],
    [
      "v0, ids of the other width",
      {},
      () => packets(`want ${"a".repeat(64)} side-band-64k\n`, flushPacket),
      "uses sha1 object ids",
    ],
    [
      "v2, the other object format",
      v2,
      () => packets("command=ls-refs\n", "object-format=sha256\n", flushPacket),
      "uses sha1 object ids",
    ],
    ["v0, a depth below 1", {}, () => packets(`want ${tip}\n`, "deepen -1\n", flushPacket), "deepen -1"],
    [
      "v2, a depth that is no number",
      v2,
      () => packets("command=fetch\n", delimiter, `want ${tip}\n`, "deepen one\n", flushPacket),
      "deepen one",
    ],
    [
      "v2, a depth and a date",
      v2,
      () =>
        packets(
          "command=fetch\n",
          delimiter,
          `want ${tip}\n`,
          "deepen 1\n",
          "deepen-since 5\n",
          "done\n",
          flushPacket,
        ),
      "cannot be used together",
    ],
    [
      "v0, 100,000 borders",
      {},
      () => packets(`want ${tip}\n`, ...shallows(100_000), flushPacket, "done\n"),
      "more than 50000 borders",
    ],
    [
      "v2, 100,000 borders",
      v2,
      () => packets("command=fetch\n", delimiter, `want ${tip}\n`, ...shallows(100_000), flushPacket),
      "more than 50000 borders",
    ],
    [
      "v2, a border that is no id",
      v2,
      () => packets("command=fetch\n", delimiter, `want ${tip}\n`, "shallow x\n", flushPacket),
      "malformed",
    ],
    [
      "v2, more refs to stop at than are taken",
      v2,
      () =>
        packets(
          "command=fetch\n",
          delimiter,
          `want ${tip}\n`,
          ...Array.from({ length: 1_001 }, (_, index) => `deepen-not b${index}\n`),
          flushPacket,
        ),
      "more than 1000 refs",
    ],
    [
      "v2, more wants than are taken",
      v2,
      () =>
        packets(
          "command=fetch\n",
          delimiter,
          ...shallows(100_001).map((line) => line.replace("shallow", "want")),
          flushPacket,
        ),
      "more than 100000 objects",
    ],
    [
      "v2, a filter by sparse checkout",
      v2,
      () => packets("command=fetch\n", delimiter, `want ${tip}\n`, "filter sparse:oid=x\n", flushPacket),
      "sparse checkout (sparse:) are not offered",
    ],
    ["v0, a bad filter", {}, () => packets(`want ${tip} filter\n`, "filter tree:x\n", flushPacket), "tree:x"],
    ["v2, an unknown command", v2, () => packets("command=bundle-uri\n", flushPacket), '"bundle-uri"'],
    ["v2, no command", v2, () => packets("agent=x\n", flushPacket), "names no command"],
    [
      "v2, an argument of ls-refs",
      v2,
      () => packets("command=ls-refs\n", delimiter, "peeled\n", flushPacket),
      "ls-refs",
    ],
    ["v0, a line that is none", {}, () => packets("please\n"), "unexpected line"],
    ["v0, a malformed id", {}, () => packets("want xyz\n", flushPacket), "malformed"],
    [
      "v2, a request cut short",
      v2,
      () => packets("command=fetch\n", delimiter),
      "ends before its flush packet",
    ],
  ])("are refused in words that git shows: %s", async (_, headers, body, text) => {
    const answer = await post("upload", body(), headers);
    expect(answer.status).toBe(200);
    const line = await answer.text();
    expect(line).toMatch(/^[0-9a-f]{4}ERR /);
    expect(line).toContain(text);
  });

  it("list refs by prefix, with what HEAD names", async () => {
    const lines = ["symrefs\n", "peel\n", "unborn\n", "ref-prefix HEAD\n", "ref-prefix refs/heads/m\n"];
    const answer = await post("upload", packets("command=ls-refs\n", delimiter, ...lines, flushPacket), v2);
    expect(await answer.text()).toBe(
      `${packets(`${tip} HEAD symref-target:refs/heads/main\n`, `${tip} refs/heads/main\n`, flushPacket)}`,
    );
    const empty = await post(
      "upload",
      packets("command=ls-refs\n", delimiter, ...lines, flushPacket),
      v2,
      "empty",
    );
    expect(await empty.text()).toBe(`${packets("unborn HEAD symref-target:refs/heads/main\n", flushPacket)}`);
  });

  it("without wants answer nothing", async () => {
    expect(await (await post("upload", "0000")).text()).toBe("");
    expect(await (await post("upload", packets("command=fetch\n", flushPacket), v2)).text()).toBe("0000");
  });
});
