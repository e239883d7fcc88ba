import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { parseAllowedHosts } from "#core/guarded-client/allowed-hosts";
import {
  createGuardedClient,
  type GuardedClientOptions,
  type GuardedRequest,
} from "#core/guarded-client/guarded-client";
import { type Receiver, selfSigned, startReceiver } from "#tests/support/servers/receiver";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function receiver(tls?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const started = await startReceiver(tls);
  open.push(() => started.close());
  return started;
}

/** A server that hands each connection to `serve` and never speaks by itself. */
async function rawServer(serve: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => socket.destroy());
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}

function clientWith(hosts: string[], options: Partial<GuardedClientOptions> = {}) {
  const client = createGuardedClient({ allowed: parseAllowedHosts("SOME_HOST_LIST", hosts), ...options });
  return (url: string, more: Partial<GuardedRequest> = {}) =>
    client.send({ url, method: "POST", body: "hello", totalTimeoutMs: 5_000, ...more });
}

describe("guarded client: where it goes", () => {
  it("sends method, headers and body and hands back status, headers and body", async () => {
    const target = await receiver();
    target.answer = (response) => response.writeHead(202, { "X-Seen": "yes" }).end("taken");
    const outcome = await clientWith(["loopback"])(`${target.url}hook?a=1`, { headers: { "X-One": "1" } });
    expect(outcome).toMatchObject({ kind: "answered", status: 202, headers: { "x-seen": "yes" } });
    expect(outcome.kind === "answered" && outcome.body.toString()).toBe("taken");
    expect(target.requests[0]).toMatchObject({ method: "POST", path: "/hook?a=1", body: "hello" });
    expect(target.requests[0]?.headers).toMatchObject({ "x-one": "1", host: `127.0.0.1:${target.port}` });
  });

  it.each(["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "0.0.0.0"])(
    "refuses %s when only external addresses are permitted, and sends nothing",
    async (host) => {
      const target = await receiver();
      const outcome = await clientWith(["external"])(`http://${host}:${target.port}/`);
      expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringContaining("SOME_HOST_LIST") });
      expect(target.requests).toEqual([]);
    },
  );

  it("refuses what is not http or https, and what is no URL", async () => {
    const send = clientWith(["*"]);
    for (const url of ["file:///etc/passwd", "ftp://a.example/", "gopher://a.example/", "not a url"]) {
      expect((await send(url)).kind).toBe("refused");
    }
  });

  it("asks the resolver once, so that a name can't change between the check and the connection", async () => {
    const target = await receiver();
    const answers = [["93.184.216.34"], ["127.0.0.1"]];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? [];
    const send = clientWith(["external"], { resolve });
    const outcome = await send(`http://rebinding.example:${target.port}/`, { totalTimeoutMs: 300 });
    expect(outcome.kind).toBe("no-answer");
    expect(asked).toBe(1);
    expect(target.requests).toEqual([]);
  });

  it("connects only to the permitted ones of a name's addresses", async () => {
    const target = await receiver();
    const resolve = async () => ["10.255.255.1", "169.254.169.254", "127.0.0.1"];
    const outcome = await clientWith(["loopback"], { resolve })(`http://mixed.example:${target.port}/`);
    expect(outcome.kind).toBe("answered");
    expect(target.requests[0]?.headers.host).toBe(`mixed.example:${target.port}`);
  });

  it("tries the next address when one does not answer", async () => {
    const target = await receiver();
    const resolve = async () => ["127.0.0.2", "127.0.0.1"];
    const outcome = await clientWith(["loopback"], { resolve })(`http://two.example:${target.port}/`);
    expect(outcome.kind).toBe("answered");
  });

  it("turns credentials of the URL into an Authorization header unless one is given", async () => {
    const target = await receiver();
    const send = clientWith(["loopback"]);
    const withCredentials = target.url.replace("://", "://bob:p%40ss%zz@");
    await send(withCredentials);
    await send(withCredentials, { headers: { Authorization: "token x" } });
    expect(target.requests.map((request) => request.headers.authorization)).toEqual([
      `Basic ${Buffer.from("bob:p@ss%zz").toString("base64")}`,
      "token x",
    ]);
  });
});

describe("guarded client: redirects", () => {
  it("answers with the redirect itself unless asked to follow", async () => {
    const target = await receiver();
    target.answer = (response) => response.writeHead(307, { Location: "/next" }).end();
    expect(await clientWith(["loopback"])(target.url)).toMatchObject({ kind: "answered", status: 307 });
    expect(target.requests.length).toBe(1);
  });

  it("follows with the body when asked, and no further than asked", async () => {
    const target = await receiver();
    target.answer = (response, { path }) => response.writeHead(308, { Location: `${path}x` }).end();
    expect(await clientWith(["loopback"])(target.url, { maxRedirects: 3 })).toMatchObject({ status: 308 });
    expect(target.requests.map(({ path, body }) => [path, body])).toEqual([
      ["/", "hello"],
      ["/x", "hello"],
      ["/xx", "hello"],
      ["/xxx", "hello"],
    ]);
  });

  it("refuses a redirect to an address that is not permitted", async () => {
    const target = await receiver();
    const inner = await rawServer(() => undefined);
    target.answer = (response) =>
      response.writeHead(307, { Location: inner.replace("127.0.0.1", "localhost") }).end();
    const send = clientWith(["outer.example"], { resolve: async () => ["127.0.0.1"] });
    const outcome = await send(`http://outer.example:${target.port}/`, { maxRedirects: 5 });
    expect(outcome).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("localhost has no address"),
    });
  });

  it("refuses a redirect to another scheme", async () => {
    const target = await receiver();
    target.answer = (response) => response.writeHead(302, { Location: "file:///etc/passwd" }).end();
    const outcome = await clientWith(["loopback"])(target.url, { method: "GET", maxRedirects: 1 });
    expect(outcome.kind).toBe("refused");
  });

  it("keeps Authorization and the URL's credentials from another origin", async () => {
    const [first, second] = [await receiver(), await receiver()];
    first.answer = (response, { path }) =>
      response.writeHead(307, { Location: path === "/" ? "/same" : second.url }).end();
    const send = clientWith(["loopback"]);
    await send(first.url, { headers: { Authorization: "token x" }, maxRedirects: 5 });
    await send(first.url.replace("://", "://bob:pw@"), { maxRedirects: 5 });
    expect(first.requests.map(({ headers }) => headers.authorization?.slice(0, 5))).toEqual([
      "token",
      "token",
      "Basic",
      "Basic",
    ]);
    expect(second.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it("does not turn a POST into a GET: 302 is the answer", async () => {
    const target = await receiver();
    target.answer = (response) => response.writeHead(302, { Location: "/next" }).end();
    expect(await clientWith(["loopback"])(target.url, { maxRedirects: 5 })).toMatchObject({ status: 302 });
    expect(target.requests.length).toBe(1);
  });
});

describe("guarded client: bounds", () => {
  it("cuts a huge answer at the bound and says so", async () => {
    const target = await receiver();
    target.answer = (response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    };
    const outcome = await clientWith(["loopback"])(target.url, { maxBodyBytes: 100_000 });
    expect(outcome).toMatchObject({ kind: "answered", status: 200, cutBy: "size" });
    expect(outcome.kind === "answered" && outcome.body.length).toBe(100_000);
  });

  it("ends an answer that drips beyond the whole time, keeping what came", async () => {
    const target = await receiver();
    target.answer = (response) => {
      response.write("a");
      const timer = setInterval(() => response.write("a"), 20);
      response.on("close", () => clearInterval(timer));
    };
    const outcome = await clientWith(["loopback"])(target.url, { totalTimeoutMs: 2_000 });
    expect(outcome).toMatchObject({ kind: "answered", status: 200, cutBy: "time" });
    expect(outcome.kind === "answered" && outcome.body.toString()).toMatch(/^a+$/);
  });

  it("has no answer when the status line drips, never comes, or comes too late", async () => {
    const dripping = await rawServer((socket) => {
      const timer = setInterval(() => socket.write("H"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    const silent = await rawServer(() => undefined);
    const send = clientWith(["loopback"]);
    const silentOutcome = await send(silent, { totalTimeoutMs: 150 });
    expect(silentOutcome).toEqual({ kind: "no-answer", reason: "no answer in time" });
    expect((await send(dripping, { totalTimeoutMs: 150 })).kind).toBe("no-answer");
  });

  it("has no answer when the connection is cut, refused, or speaks something else", async () => {
    const cutting = await rawServer((socket) => socket.destroy());
    const garbage = await rawServer((socket) => socket.end("SSH-2.0-OpenSSH_9\r\n"));
    const gone = await receiver();
    await open.pop()?.();
    const send = clientWith(["loopback"]);
    expect(await send(cutting)).toMatchObject({ kind: "no-answer" });
    expect(await send(garbage)).toMatchObject({ kind: "no-answer" });
    expect(await send(gone.url)).toMatchObject({
      kind: "no-answer",
      reason: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("keeps the status of an answer whose connection breaks in the body", async () => {
    const url = await rawServer((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf")),
    );
    const outcome = await clientWith(["loopback"])(url);
    expect(outcome).toMatchObject({ kind: "answered", status: 200, cutBy: "connection" });
  });

  it("has no answer when the headers are over the bound", async () => {
    const url = await rawServer((socket) =>
      socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`)),
    );
    expect(await clientWith(["loopback"])(url)).toMatchObject({ kind: "no-answer" });
  });

  it("has no answer from a resolver that fails, is empty, or hangs", async () => {
    const fails = clientWith(["*"], { resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    const isEmpty = clientWith(["*"], { resolve: async () => [] });
    const hangs = clientWith(["*"], { resolve: () => new Promise(() => undefined) });
    const url = "http://nowhere.example/";
    expect(await fails(url)).toMatchObject({
      kind: "no-answer",
      reason: expect.stringContaining("ENOTFOUND"),
    });
    expect(await isEmpty(url)).toMatchObject({ kind: "no-answer" });
    expect(await hangs(url, { totalTimeoutMs: 100 })).toMatchObject({ kind: "no-answer" });
  });

  it("gives up connecting before the whole time is over", async () => {
    const neverTls = await rawServer(() => undefined);
    const url = neverTls.replace("http:", "https:");
    const outcome = await clientWith(["loopback"])(url, { connectTimeoutMs: 100 });
    expect(outcome).toEqual({ kind: "no-answer", reason: "no connection within 100 ms" });
  });
});

describe("guarded client: TLS", () => {
  it("has no answer from a receiver whose certificate is not trusted", async () => {
    const target = await receiver(selfSigned);
    const outcome = await clientWith(["loopback"])(target.url);
    expect(outcome).toMatchObject({ kind: "no-answer", reason: expect.stringMatching(/certificate/i) });
    expect(target.requests).toEqual([]);
  });

  it("accepts it when verification is skipped, and asks for the host by its name", async () => {
    const names: string[] = [];
    const target = await receiver({
      ...selfSigned,
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    const send = clientWith(["loopback"], {
      isTlsVerificationSkipped: true,
      resolve: async () => ["127.0.0.1"],
    });
    expect(await send(`https://hooks.example:${target.port}/`)).toMatchObject({
      kind: "answered",
      status: 200,
    });
    expect(names).toEqual(["hooks.example"]);
  });
});
