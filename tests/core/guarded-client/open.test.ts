import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { parseAllowedHosts } from "#core/guarded-client/allowed-hosts";
import { createGuardedClient, type StreamedRequest } from "#core/guarded-client/guarded-client";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const client = createGuardedClient({ allowed: parseAllowedHosts("ALLOWED", ["loopback"]) });

async function opened(url: string, more: Partial<StreamedRequest> = {}) {
  const answer = await client.open({ url, method: "GET", totalTimeoutMs: 10_000, ...more });
  if (answer.kind !== "opened") throw new Error(`${answer.kind}: ${answer.reason}`);
  return answer;
}

describe("open of the guarded client", () => {
  it("streams bodies both ways, of any length", async () => {
    const url = await listening((request, response) => request.pipe(response));
    const sent = Array.from({ length: 50 }, (_, at) => Buffer.alloc(40_000, at));
    const body = (async function* () {
      yield* sent;
    })();
    const answer = await opened(url, { method: "POST", body, maxBodyBytes: 10_000_000 });
    expect((await buffer(answer.body)).equals(Buffer.concat(sent))).toBe(true);
  });

  it("cuts what is too large, too slow, too long silent, or broken off, and says by what", async () => {
    const url = await listening((request, response) => {
      response.writeHead(200, request.url === "/cut" ? { "content-length": "100" } : {});
      response.write("some bytes", () => {
        if (request.url === "/cut") response.destroy();
      });
    });
    const cut = async (path: string, more: Partial<StreamedRequest>) =>
      buffer((await opened(url + path, more)).body).catch((error: unknown) => error);
    expect(await cut("", { maxBodyBytes: 5 })).toMatchObject({ name: "BrokenTransfer", cutBy: "size" });
    const overTime = { name: "BrokenTransfer", cutBy: "time" };
    const bounds = [{ totalTimeoutMs: 2_000 }, { idleTimeoutMs: 2_000 }];
    const late = await Promise.all(bounds.map((bound) => cut("", bound)));
    expect(late).toMatchObject([overTime, overTime]);
    expect(await cut("cut", {})).toMatchObject({ name: "BrokenTransfer", cutBy: "connection" });
    const abort = new AbortController();
    const answer = await opened(url, { signal: abort.signal });
    abort.abort();
    await expect(buffer(answer.body)).rejects.toMatchObject({ name: "BrokenTransfer" });
  });

  it("checks each redirect like the first URL, follows none with a body, and tells where it ended", async () => {
    const url = await listening((request, response) => {
      const target = request.url === "/away" ? "http://10.0.0.1/" : "/end?x";
      if (request.url?.startsWith("/end")) response.end("end");
      else response.writeHead(307, { location: target }).end();
    });
    const answer = await opened(url.replace("//", "//name:secret@"), { maxRedirects: 1 });
    expect(answer.url).toBe(`${url}end?x`);
    answer.close();
    expect(
      await client.open({ url: `${url}away`, method: "GET", totalTimeoutMs: 5_000, maxRedirects: 1 }),
    ).toMatchObject({ kind: "refused" });
    const posted = await opened(url, { method: "POST", body: Buffer.from("x"), maxRedirects: 5 });
    expect(posted.status).toBe(307);
    posted.close();
  });

  it("connects nowhere that is not allowed, and says why nobody answered", async () => {
    const refused = await client.open({ url: "http://10.0.0.1/", method: "GET", totalTimeoutMs: 1_000 });
    expect(refused).toMatchObject({ kind: "refused" });
    const nobody = await client.open({ url: "http://127.0.0.1:1/", method: "GET", totalTimeoutMs: 1_000 });
    expect(nobody).toMatchObject({ kind: "no-answer" });
  });
});
