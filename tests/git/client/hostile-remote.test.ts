import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { fetchSlice } from "#core/git/client/fetch-slice";
import type { RemoteFailure } from "#core/git/client/remote-failure";
import { beginFetch } from "#core/git/client/staged-fetch";
import type { RemoteAddress } from "#core/git/client/transport";
import { serializeCommit } from "#core/git/format/commit";
import { objectIdOf } from "#core/git/format/object-format";
import { createPack } from "#core/git/pack/create-pack";
import { dataPacket, flushPacket } from "#core/git/protocol/pkt-line";
import { bandFrame } from "#core/git/protocol/side-band";
import { stagedPacks } from "#core/git/store/staged-packs";
import { addressOf, emptyRepository, fetchRemote, listening, ourServer } from "./remotes.ts";

const id = "a".repeat(40);
const advertised = "application/x-git-upload-pack-advertisement";
const result = "application/x-git-upload-pack-result";
const versionTwo = Buffer.concat([
  ...["version 2\n", "ls-refs\n", "fetch=shallow\n", "object-format=sha1\n"].map(dataPacket),
  flushPacket,
]);

const answer = (response: ServerResponse, type: string, ...pieces: (Buffer | string)[]) => {
  response.writeHead(200, { "content-type": type });
  for (const piece of pieces) response.write(piece);
  response.end();
};

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString("latin1");
}

/** A remote with one ref that answers fetches as the test likes. */
const fetching =
  (fetch: (response: ServerResponse) => void, ref = id): RequestListener =>
  async (request, response) => {
    if (request.method === "GET") return answer(response, advertised, versionTwo);
    if ((await textOf(request)).includes("command=ls-refs")) {
      return answer(response, result, dataPacket(`${ref} refs/heads/main\n`), flushPacket);
    }
    return fetch(response);
  };

const packed = (...frames: Buffer[]): RequestListener =>
  fetching((response) => answer(response, result, dataPacket("packfile\n"), ...frames));

/** The result of a fetch from such a remote; it must not succeed. */
async function failure(listener: RequestListener, more: Partial<RemoteAddress> = {}): Promise<RemoteFailure> {
  const url = await listening(createServer(listener));
  const { repository } = await emptyRepository("sha1");
  const outcome = await fetchRemote(addressOf(`${url}/r.git`, more), repository);
  if (outcome.ok) throw new Error("the fetch succeeded");
  return outcome.reason;
}

/** Writes pieces until the other side has enough. */
function withoutEnd(response: ServerResponse, type: string, start: Buffer, piece: Buffer): void {
  response.writeHead(200, { "content-type": type });
  response.write(start);
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more);
  more();
}

const small = { limits: { listingBytes: 100_000, refs: 1_000, packBytes: 2_000_000, idleTimeoutMs: 10_000 } };

describe("fetchRemote from a hostile remote", () => {
  it.each<[string, RequestListener, RemoteFailure["kind"]]>([
    ["a page for people", (_, response) => answer(response, "text/html", "<html>"), "protocol"],
    ["nothing", (_, response) => answer(response, advertised), "protocol"],
    ["bad packet lengths", (_, response) => answer(response, advertised, "zzzzjunk"), "protocol"],
    ["a packet that is cut off", (_, response) => answer(response, advertised, "00ffab"), "protocol"],
    [
      "an error in words",
      (_, response) => answer(response, advertised, dataPacket("ERR no\x07pe")),
      "remote-error",
    ],
    [
      "another hash",
      (_, response) =>
        answer(response, advertised, dataPacket("version 2"), dataPacket("object-format=md5"), flushPacket),
      "object-format",
    ],
    [
      "ids that are none",
      (_, response) => answer(response, advertised, dataPacket("1234 refs/heads/main"), flushPacket),
      "protocol",
    ],
    ["an error status", (_, response) => response.writeHead(500).end(), "unreachable"],
    ["a request for credentials", (_, response) => response.writeHead(401).end(), "unauthorized"],
    [
      "refs without end",
      (_, response) =>
        withoutEnd(response, advertised, Buffer.alloc(0), dataPacket(`${id} refs/heads/${"x".repeat(900)}`)),
      "too-large",
    ],
    ["no pack", packed(), "unreachable"],
    ["a pack that is none", packed(bandFrame(1, "not a pack at all, not a pack"), flushPacket), "bad-pack"],
    ["an unknown band", packed(bandFrame(9, "x")), "protocol"],
    ["an error band", packed(bandFrame(2, "working\r"), bandFrame(3, "out of\nmemory")), "remote-error"],
    ["a pack that breaks off", packed(bandFrame(1, "PACK\0\0\0\x02\0\0\0\x05")), "unreachable"],
    [
      "more objects than are there",
      packed(bandFrame(1, "PACK\0\0\0\x02\x7f\xff\xff\xff"), flushPacket),
      "bad-pack",
    ],
    [
      "a pack without end",
      fetching((response) =>
        withoutEnd(
          response,
          result,
          Buffer.concat([
            dataPacket("packfile\n"),
            bandFrame(1, Buffer.from("PACK\0\0\0\x02\0\0\0\x01", "latin1")),
          ]),
          bandFrame(1, Buffer.alloc(60_000)),
        ),
      ),
      "too-large",
    ],
    [
      "progress without end",
      fetching((response) =>
        withoutEnd(response, result, dataPacket("packfile\n"), bandFrame(2, Buffer.alloc(60_000))),
      ),
      "too-large",
    ],
    [
      "sections without end",
      fetching((response) =>
        withoutEnd(response, result, dataPacket("shallow-info\n"), dataPacket(`shallow ${id}`)),
      ),
      "too-large",
    ],
    [
      "acknowledgments alone",
      fetching((response) =>
        answer(response, result, dataPacket("acknowledgments\n"), dataPacket("NAK\n"), flushPacket),
      ),
      "protocol",
    ],
  ])("%s: a failure that says so, in bounded time and memory", async (_, listener, kind) => {
    const reason = await failure(listener, small);
    expect(reason.kind, reason.message).toBe(kind);
    expect(reason.message).not.toMatch(/\p{Cc}/u);
  });

  it("a slice of a fetch without end, or of another object format, is a failure too, and leaves nothing", async () => {
    const { forge } = await ourServer();
    const start = Buffer.concat([
      dataPacket("packfile\n"),
      bandFrame(1, Buffer.from("PACK\0\0\0\x02\0\0\0\x01", "latin1")),
    ]);
    const endless = fetching((response) =>
      withoutEnd(response, result, start, bandFrame(1, Buffer.alloc(60_000))),
    );
    const url = await listening(createServer(endless));
    for (const [format, kind] of [
      ["sha1", "too-large"],
      ["sha256", "object-format"],
    ] as const) {
      const { repository, id: repositoryId } = await emptyRepository(format);
      const begun = beginFetch(repository);
      const outcome = await fetchSlice(
        stagedPacks(forge, repository),
        addressOf(`${url}/r.git`, small),
        repository,
        begun,
      );
      expect(outcome).toMatchObject({ ok: false, reason: { kind } });
      for await (const { key } of forge.blobs.list(`r/${repositoryId}/f/`)) throw new Error(`${key} stayed`);
    }
  });

  it("silence ends by its bound", async () => {
    const reason = await failure(() => undefined, { limits: { idleTimeoutMs: 200 } });
    expect(reason).toEqual({ kind: "unreachable", message: "the other side was silent for 200 ms" });
  });

  it("a flood of refs is refused at the bound", async () => {
    const lines = Array.from({ length: 1_001 }, (_, at) => dataPacket(`${id} refs/heads/b${at}\n`));
    const reason = await failure((_, response) => answer(response, advertised, ...lines, flushPacket), small);
    expect(reason).toEqual({ kind: "too-large", message: "the remote has more than 1000 refs" });
  });

  it("an answer packed with gzip, which nobody asked for, is not taken", async () => {
    const reason = await failure((_, response) => {
      response.writeHead(200, { "content-type": advertised, "content-encoding": "gzip" }).end("x");
    });
    expect(reason.kind).toBe("protocol");
  });

  it("a pack with holes does not pass, and leaves no file", async () => {
    const person = { name: "A", email: "a@x", seconds: 1, timezone: "+0000" };
    const parts = { tree: "b".repeat(40), parents: [], author: person, committer: person, extraHeaders: [] };
    const data = serializeCommit({ ...parts, message: Buffer.from("x\n") });
    const { pack } = createPack("sha1", [{ type: "commit", data }]);
    const frames = [dataPacket("packfile\n"), bandFrame(1, pack), flushPacket];
    const listener = fetching(
      (response) => answer(response, result, ...frames),
      objectIdOf("sha1", "commit", data),
    );
    const reason = await failure(listener);
    expect(reason.kind).toBe("bad-pack");
    expect(reason.message).toContain(`object ${"b".repeat(40)} is missing`);
  });
});

describe("fetchRemote and redirects", () => {
  it("follows the first request's, and gives credentials to their own host alone", async () => {
    const seen: (string | undefined)[] = [];
    const second = await listening(
      createServer((request, response) => {
        seen.push(`${request.method} ${request.headers.authorization}`);
        return fetching((one) => answer(one, result, dataPacket("ERR enough\n")))(request, response);
      }),
    );
    const reason = await failure(
      (request, response) => {
        seen.push(request.headers.authorization);
        response
          .writeHead(302, { location: `${second}${request.url?.replace("/r.git", "/moved.git")}` })
          .end();
      },
      { credentials: { token: "secret" } },
    );
    expect(reason).toEqual({ kind: "remote-error", message: "the remote says: enough" });
    const basic = `Basic ${Buffer.from("oauth2:secret").toString("base64")}`;
    expect(seen).toEqual([basic, "GET undefined", "POST undefined", "POST undefined"]);
  });

  it.each([
    ["to what is no repository", "/elsewhere", "protocol"],
    ["to a private address", "http://10.0.0.1/r.git/info/refs?service=git-upload-pack", "refused"],
    ["to another kind of URL", "ftp://127.0.0.1/r.git/info/refs?service=git-upload-pack", "refused"],
  ])("%s: not followed", async (_, location, kind) => {
    const reason = await failure((request, response) => {
      if (request.url === "/elsewhere") answer(response, advertised, versionTwo);
      else response.writeHead(302, { location }).end();
    });
    expect(reason.kind).toBe(kind);
  });

  it("of a later request are not followed, nor round in circles", async () => {
    const later = await failure((request, response) => {
      if (request.method === "GET") answer(response, advertised, versionTwo);
      else response.writeHead(307, { location: "/other" }).end();
    });
    expect(later.kind).toBe("protocol");
    const circle = await failure((request, response) => {
      response.writeHead(302, { location: request.url }).end();
    });
    expect(circle.kind).toBe("protocol");
  });
});
