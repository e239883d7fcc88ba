import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boundedIntake } from "#core/capacity/intake";
import { createSite } from "#infra/local/http/site";
import { openIssue } from "#tests/api/issue/make";
import { makeRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { until } from "#tests/support/until";

let api: TestApi;
let alice: Caller;
let server: Server;
let path: string;
let gitPath: string;
let awaited: string;
const logged: { event: string; level: string }[] = [];

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser();
  const where = await makeRepository(api, alice);
  path = where.path;
  gitPath = `${path.replace("/repos", "")}.git`;
  await openIssue(api, where, alice);
  const body = { name: "a.txt", size: 200_000 };
  const { json } = await api.call("POST", `${path}/issues/1/assets`, { as: alice, body });
  awaited = new URL(json.upload_url).pathname;
  const tell = (level: string) => (event: string) => void logged.push({ event, level });
  const log = { debug: tell("debug"), info: tell("info"), warn: tell("warn"), error: tell("error") };
  const intake = boundedIntake(api.forge.config);
  server = createServer(getRequestListener(createSite({ ...api.forge, log }, intake).fetch));
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await api.stop();
});

/** Sends the head of a request and some of its body, and hangs up once that has arrived. */
async function hangUp(method: string, to: string, type: string, beginning: string): Promise<void> {
  const arrived = once(server, "request");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const lines = [
    `${method} ${to} HTTP/1.1`,
    "Host: forge",
    `Authorization: token ${alice.token}`,
    `Content-Type: ${type}`,
    "Content-Length: 200000",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${beginning}`);
  const [request] = await arrived;
  await until(() => request.readableDidRead);
  socket.destroy();
}

const form =
  '--b\r\ncontent-disposition: form-data; name="attachment"; filename="a.txt"\r\n\r\nthe first words';

describe("a client that hangs up in its body is no error of the service", () => {
  it.each([
    ["JSON", "PATCH", () => "/api/v1/user/settings", "application/json", '{"full_name": "A'],
    ["a form", "PATCH", () => "/api/v1/user/settings", "application/x-www-form-urlencoded", "full_name=A"],
    ["a text", "POST", () => "/api/v1/markdown/raw", "text/plain", "# A"],
    ["a file", "POST", () => `/api/v1${path}/issues/1/assets`, "multipart/form-data; boundary=b", form],
    ["an announced file", "PUT", () => awaited, "application/octet-stream", "bytes"],
    ["a fetch", "POST", () => `${gitPath}/git-upload-pack`, "application/x-git-upload-pack-request", "00a0"],
    ["a push", "POST", () => `${gitPath}/git-receive-pack`, "application/x-git-receive-pack-request", "00a0"],
  ])("%s", async (_what, method, to, type, beginning) => {
    logged.length = 0;
    await hangUp(method, to(), type, beginning);
    await until(() => logged.some(({ event }) => event.endsWith(":client-left")));
    expect(logged.filter(({ level }) => level !== "info" && level !== "debug")).toEqual([]);
  });
});
