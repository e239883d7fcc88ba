import type { RequestListener } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { hashesOf, type LfsMirrors, pointerTo, startLfsMirrors, startRaw } from "./lfs-world.ts";

let world: LfsMirrors;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  world = await startLfsMirrors({ MIGRATION_BLOCKED_HOST_LIST: "127.0.0.9" });
});
afterAll(() => world.stop());
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function raw(answer: RequestListener, host?: string) {
  const server = await startRaw(answer, host);
  stops.push(server.stop);
  return server;
}

const content = "what the pointer names\n";
const { oid, sizeBytes } = pointerTo(content);
const header = { "content-type": "application/vnd.git-lfs+json" };

/** A server whose batch leads to its own `/object`, which `answer` serves. */
const offering =
  (answer: RequestListener, more: object = {}): RequestListener =>
  (request, response) => {
    if (!request.url?.endsWith("/objects/batch")) return answer(request, response);
    const href = `http://${request.headers.host}/object`;
    const objects = [{ oid, size: sizeBytes, actions: { download: { href, ...more } } }];
    response.writeHead(200, header).end(JSON.stringify({ transfer: "basic", objects }));
  };

/** Alice's mirror of a repository of a pointer; its objects come from a server of the test. */
async function mirrorWith(answer: RequestListener, host?: string) {
  const source = await world.makeSource([], [{ oid, sizeBytes }]);
  const server = await raw(answer, host);
  const mirror = await world.bring(source.url, { mirror: true, lfs_endpoint: server.origin });
  return { ...mirror, server };
}

describe("an LFS server that goes wrong: the code comes, the mirror says what did not, and nothing false is kept", () => {
  const endless: RequestListener = (_request, response) => {
    response.writeHead(200);
    const more = () => {
      while (response.write("x".repeat(65_536)));
      response.once("drain", more);
    };
    more();
  };
  const answers: readonly [string, RequestListener, RegExp][] = [
    ["sends other bytes", offering((_, response) => response.end("w".repeat(sizeBytes))), /other bytes/],
    ["sends too few", offering((_, response) => response.end("w")), /1 bytes of/],
    ["sends without end", offering(endless), new RegExp(`more than ${sizeBytes} bytes`)],
    [
      "breaks off",
      offering((_, response) => {
        response.writeHead(200, { "content-length": String(sizeBytes) }).write("w");
        setImmediate(() => response.destroy());
      }),
      /broke off/,
    ],
    [
      "redirects to a blocked address",
      offering((_, response) => response.writeHead(302, { location: "http://127.0.0.9:9/x" }).end()),
      /127\.0\.0\.9/,
    ],
    [
      "redirects to file:",
      offering((_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end()),
      /file:|http/,
    ],
    [
      "leads to a blocked address",
      offering(() => undefined, { href: "http://127.0.0.9:9/x" }),
      /127\.0\.0\.9/,
    ],
    ["leads to file:", offering(() => undefined, { href: "file:///etc/passwd" }), /http/],
    ["asks for a password at the address", offering((_, response) => response.writeHead(401).end()), /401/],
    ["asks for a password", (_, response) => response.writeHead(401).end(), /401/],
    ["is none", (_, response) => response.writeHead(404).end(), /no LFS server/],
    ["is busy", (_, response) => response.writeHead(503).end(), /503/],
    ["answers no JSON", (_, response) => response.writeHead(200, header).end("{"), /no batch/],
    [
      "answers other JSON",
      (_, response) => response.writeHead(200, header).end('{"objects":[3]}'),
      /no batch/,
    ],
    [
      "says nothing of it",
      (_, response) => response.writeHead(200, header).end('{"objects":[]}'),
      /nothing of it/,
    ],
    ["answers without end", (request, response) => endless(request, response), /more than/],
  ];

  it.each(answers)("%s", async (_name, answer, message) => {
    const { id, state, server } = await mirrorWith(answer);
    expect(state).toMatchObject({ status: "done", failures: 0, message: expect.stringMatching(message) });
    expect(state.message).toMatch(/^Git LFS: /);
    expect(await world.contents(id)).toEqual([]);
    expect(server.asked.length).toBeLessThanOrEqual(2);
    expect(await checkRepository(world.api.forge, id)).toEqual([]);
  });

  it("hears nothing at a blocked address that the object's address redirects to", async () => {
    const inner = await raw((_, response) => response.end(content), "127.0.0.9");
    await mirrorWith(offering((_, response) => response.writeHead(302, { location: inner.origin }).end()));
    expect(inner.asked).toEqual([]);
  });

  it("sets no header that is ours to say, and none that is malformed", async () => {
    const asked = {
      ...{ "X-Ok": "yes", Host: "inner.example", "Content-Length": "9", Range: "bytes=0-1" },
      ...{ "bad name": "x", split: "a\r\nx-more: b", "Proxy-Authorization": "x" },
    };
    const { id, server } = await mirrorWith(
      offering((_, response) => response.end(content), { header: asked }),
    );
    const { headers } = server.asked[1] ?? { headers: {} };
    expect(headers).toMatchObject({ "x-ok": "yes", host: new URL(server.origin).host });
    for (const name of ["content-length", "range", "split", "x-more", "proxy-authorization"]) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(await world.contents(id)).toEqual(hashesOf([content]));
  });
});

describe("the credentials of a source", () => {
  it("go to no other origin: not with the batch, not with the object, not after a redirect", async () => {
    const { id, server } = await mirrorWith(offering((_, response) => response.end(content)));
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
    expect(await world.contents(id)).toEqual(hashesOf([content]));
  });

  it("stand in no message and no line of the log, when the server sends them back", async () => {
    const secret = world.alice.token;
    const { state, path } = await mirrorWith((request, response) =>
      response.writeHead(500, { "x-back": String(request.headers.authorization) }).end(secret),
    );
    expect(JSON.stringify([state, await world.stateOf(path), world.api.logged])).not.toContain(secret);
  });
});

describe("thousands of objects", () => {
  it("that all fail are given up after ten transfers", async () => {
    const named = Array.from({ length: 60 }, (_, at) => pointerTo(`never ${at}\n`));
    const source = await world.makeSource([], named);
    const server = await raw((request, response) => {
      if (!request.url?.endsWith("/batch")) return response.writeHead(500).end();
      const href = `http://${request.headers.host}/object`;
      const objects = named.map((one) => ({ oid: one.oid, actions: { download: { href } } }));
      return response.writeHead(200, header).end(JSON.stringify({ objects }));
    });
    const mirror = await world.bring(source.url, { mirror: true, lfs_endpoint: server.origin });
    expect(mirror.state.message).toMatch(/^Git LFS: too many transfers failed; 1\d objects did not come/);
    expect(server.asked.length).toBeLessThanOrEqual(1 + 10 + 8);
  });

  it("that are all refused slowly are given up after ten answers", async () => {
    const named = Array.from({ length: 1_200 }, (_, at) => pointerTo(`slow ${at}\n`));
    const source = await world.makeSource([], named);
    const server = await raw((_, response) => {
      world.api.clock.advance(15_000);
      response.writeHead(200, header).end('{"objects":[]}');
    });
    const mirror = await world.bring(source.url, { mirror: true, lfs_endpoint: server.origin });
    expect(mirror.state.message).toMatch(/^Git LFS: too many transfers failed/);
    expect(server.asked).toHaveLength(10);
  });

  it("that come slowly end after half an hour, and go on with the next sync", async () => {
    const contents = Array.from({ length: 24 }, (_, at) => `${at} comes slowly\n`);
    const named = contents.map(pointerTo);
    const source = await world.makeSource([], named);
    let isSlow = true;
    const server = await raw((request, response) => {
      const at = named.findIndex((one) => request.url?.endsWith(one.oid));
      if (at >= 0) {
        if (isSlow) world.api.clock.advance(240_000);
        return response.end(contents[at]);
      }
      const href = `http://${request.headers.host}/`;
      const objects = named.map(({ oid: id }) => ({ oid: id, actions: { download: { href: href + id } } }));
      return response.writeHead(200, header).end(JSON.stringify({ objects }));
    });
    const mirror = await world.bring(source.url, { mirror: true, lfs_endpoint: server.origin });
    expect(mirror.state.message).toMatch(/no more than 30 minutes/);
    const brought = (await world.contents(mirror.id)).length;
    expect(brought).toBeGreaterThanOrEqual(8);
    expect(brought).toBeLessThan(24);
    isSlow = false;
    expect((await world.sync(mirror)).message).toBe("");
    expect(await world.contents(mirror.id)).toEqual(hashesOf(contents));
  });
});
