import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Intake } from "#core/capacity/intake";
import { fileEndpoints } from "#functions/files/endpoints";
import { uploadLink } from "#functions/files/upload-link";
import type { Endpoint } from "#functions/http/endpoint";
import { createSite } from "#infra/local/http/site";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { endpoints } from "#tests/support/endpoints";
import { until } from "#tests/support/until";
import { sendFile } from "../../../api/attachment/make.ts";

const kib = 1024;
const [stalling, sentBytes, announcedBytes] = [8, 100_000, 150_000];
/** Room for the first 64 KB of four bodies of one caller, and for two of their files. */
const intake = new Intake({
  ...{ memoryBytes: 900 * kib, largestWorkBytes: 0, diskBytes: 3000 * kib, largestFileBytes: 0 },
  ...{ files: 6, smallBytes: 64 * kib, patienceMs: 30 },
});
const filesOfOne = 2;

let api: TestApi;
let hostile: Caller;
let innocent: Caller;
let server: Server;
let folder: string;
let target: Readonly<Record<string, string>>;
const temporaryBefore = process.env.TMPDIR;
const sockets: StalledClient[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "coldforge-held-"));
  process.env.TMPDIR = folder;
  api = await makeApi({ simulation: false, settings: { RATE_LIMITS: "false" } });
  hostile = await api.makeUser({ name: "hostile", isAdmin: true });
  innocent = await api.makeUser({ name: "innocent" });
  server = createServer(getRequestListener(createSite(api.forge, intake).fetch)).listen(0, "127.0.0.1");
  target = await makeTarget();
});
afterEach(async () => {
  for (const one of sockets.splice(0)) one.socket.destroy();
  const files = () => readdirSync(folder).filter((name) => name.startsWith("coldforge-body-"));
  await until(() => intake.memory.held + intake.disk.held + intake.files.held + files().length === 0);
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await api.stop();
  if (temporaryBefore === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporaryBefore;
  rmSync(folder, { recursive: true });
});

/** What operations are tried on: the hostile caller may do everything with it. */
async function makeTarget() {
  const make = async (path: string, body: object) => {
    const { status, json } = await api.call("POST", path, { as: hostile, body });
    expect([path, status]).toEqual([path, expect.toSatisfy((one) => one === 201 || one === 202)]);
    return json;
  };
  const { id: repositoryId } = await make("/user/repos", { name: "r", auto_init: true });
  await make("/orgs", { username: "o" });
  const team = await make("/orgs/o/teams", { name: "t", units: ["repo.code"] });
  await make("/repos/hostile/r/issues", { title: "an issue" });
  const comment = await make("/repos/hostile/r/issues/1/comments", { body: "a comment" });
  const [file, branch] = [Buffer.from("text\n").toString("base64"), { branch: "main", new_branch: "topic" }];
  await make("/repos/hostile/r/contents/a.txt", { content: file, ...branch });
  const pull = await make("/repos/hostile/r/pulls", { title: "a request", head: "topic", base: "main" });
  const review = await makeReview(pull.number);
  const release = await make("/repos/hostile/r/releases", { tag_name: "v1" });
  const assets = `/repos/hostile/r/issues/1/assets`;
  const awaited = await make(assets, { name: "a.txt", size: announcedBytes });
  const ofIssue = await sendFile(api, assets, hostile);
  const ofComment = await sendFile(api, `/repos/hostile/r/issues/comments/${comment.id}/assets`, hostile);
  const owner = { owner: "hostile", template_owner: "hostile", username: "hostile", org: "o" };
  const link = await uploadLink(api.forge, { objectKey: "q/announced", sizeBytes: announcedBytes });
  const names = { repo: "r", template_repo: "r", index: "1", uuid: awaited.uuid, runner_id: "1" };
  const ofRepository = { repository: String(repositoryId), release: String(release.id) };
  const ids = { team: String(team.id), ...ofRepository, comment: String(comment.id) };
  const ofPull = {
    pull: String(pull.number),
    review: String(review.id),
    codeComment: String(review.commentId),
  };
  await make("/admin/quota/groups", { name: "g", rules: [{ name: "l" }] });
  const quota = { quotagroup: "g", quotarule: "l" };
  const files = { issueFile: String(ofIssue.json.id), commentFile: String(ofComment.json.id) };
  const announced = { link: link.slice(link.lastIndexOf("/") + 1) };
  return { ...owner, ...names, ...ids, ...ofPull, ...files, ...quota, ...announced } as Record<
    string,
    string
  >;
}

/** A pending review with a comment on a line; their ids. */
async function makeReview(number: number): Promise<{ id: number; commentId: number }> {
  const path = `/repos/hostile/r/pulls/${number}/reviews`;
  const comments = [{ path: "a.txt", body: "a comment", new_position: 1 }];
  const { json } = await api.call("POST", path, { as: hostile, body: { event: "PENDING", comments } });
  const { json: listed } = await api.call("GET", `${path}/${json.id}/comments`, { as: hostile });
  return { id: json.id, commentId: listed[0].id };
}

interface StalledClient {
  readonly socket: Socket;
  answer: string;
}

/** What one kind of request is sent with. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What comes of the body before the client falls silent. */
  readonly beginning: Buffer;
}

/** Sends the beginning of a body, one in two without a word of its length, and then nothing. */
function stall({ method, path, headers, beginning }: Sent, isChunked: boolean): StalledClient {
  const client = { socket: connect((server.address() as AddressInfo).port, "127.0.0.1"), answer: "" };
  sockets.push(client);
  client.socket.on("error", () => undefined);
  client.socket.on("data", (data) => {
    client.answer += data.toString("latin1");
  });
  const length = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${announcedBytes}`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  client.socket.write(
    `${[`${method} ${path} HTTP/1.1`, "Host: forge", length, ...lines].join("\r\n")}\r\n\r\n`,
  );
  if (isChunked) client.socket.write(`${beginning.length.toString(16)}\r\n`);
  client.socket.write(beginning);
  return client;
}

/** Many stalled bodies of one caller at once: a few are held, the others refused, and another caller is served. */
async function expectBounded(sent: Sent, refusal = "429 Too Many Requests"): Promise<void> {
  const clients = Array.from({ length: stalling }, (_, index) => stall(sent, index % 2 === 1));
  const answered = () => clients.filter(({ answer }) => answer !== "");
  await until(() => answered().length >= stalling - filesOfOne);
  const statuses = new Set(answered().map(({ answer }) => answer.slice(0, answer.indexOf("\r\n"))));
  expect([...statuses]).toEqual([`HTTP/1.1 ${refusal}`]);
  await expectServed();
  expect(intake.memory.peak).toBeLessThanOrEqual(intake.memory.bounds.most);
  expect(intake.files.peak).toBeLessThanOrEqual(filesOfOne + 1);
}

async function expectServed(): Promise<void> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  expect((await fetch(`${url}/version`)).status).toBe(200);
  const body = JSON.stringify({ full_name: "Innocent", padding: "x".repeat(sentBytes) });
  const headers = { authorization: `token ${innocent.token}`, "content-type": "application/json" };
  expect((await fetch(`${url}/user/settings`, { method: "PATCH", headers, body })).status).toBe(200);
}

const padded = (beginning: string) => Buffer.from(beginning.padEnd(sentBytes, "x"));
const multipart = [
  "--b",
  'Content-Disposition: form-data; name="attachment"; filename="a.txt"',
  "Content-Type: text/plain",
  "",
  "",
].join("\r\n");

/** The bodies that an operation takes, by their type. */
function bodiesOf({ takesFile, bodyType = "application/json" }: Endpoint): [type: string, Buffer][] {
  const beginnings: Readonly<Record<string, Buffer>> = {
    "application/json": padded('{"text": "'),
    "text/plain": padded("text"),
    "application/octet-stream": padded("bytes"),
    "multipart/form-data": padded(multipart),
  };
  const types = takesFile === undefined ? [bodyType] : Object.keys(takesFile);
  return types.map((type) => [type, beginnings[type] ?? padded("")]);
}

/** What `id` stands for in a path: the first that fits. */
const kinds: readonly (readonly [keyof typeof target, (one: Endpoint) => boolean])[] = [
  ["team", ({ needs }) => needs.team !== undefined],
  ["review", ({ path }) => path.includes("/reviews/")],
  ["codeComment", ({ path }) => path.includes("/pulls/")],
  ["comment", ({ path }) => path.includes("comments")],
  ["release", ({ path }) => path.includes("/releases/")],
  ["repository", () => true],
];

function pathOf(one: Endpoint): string {
  const { path } = one;
  const [kind = ""] = kinds.find(([, fits]) => fits(one)) ?? [];
  const index = target[path.includes("/pulls/") ? "pull" : "index"] ?? "";
  const file = target[path.includes("comments") ? "commentFile" : "issueFile"] ?? "";
  const values: typeof target = { ...target, index, id: target[kind] ?? "", attachment_id: file };
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? "absent");
}

const credentialsFor = ({ needs }: Endpoint) =>
  needs.ownPassword !== undefined
    ? basic(hostile.name, hostile.password)
    : { authorization: `token ${hostile.token}` };

const takesBody = (one: Endpoint) =>
  one.method !== "get" && (one.body !== undefined || one.takesFile !== undefined);
const all = [
  ...endpoints.filter(takesBody).map((one) => ({ one, base: "/api/v1" })),
  ...fileEndpoints.filter(takesBody).map((one) => ({ one, base: "" })),
];

describe("bodies that stall in every operation hold no more than their share of the memory", () => {
  it.each(all.map(({ one, base }) => [one.id, one, base] as const))("%s", async (_id, one, base) => {
    for (const [type, beginning] of bodiesOf(one)) {
      const contentType = type === "multipart/form-data" ? `${type}; boundary=b` : type;
      const headers = { ...credentialsFor(one), "content-type": contentType };
      // Bytes of a file are read when they are named.
      const query = type === "application/octet-stream" && one.query !== undefined ? "?name=a" : "";
      const path = `${base}${pathOf(one)}${query}`;
      const sent = { method: one.method.toUpperCase(), path, headers, beginning };
      await expectBounded(sent, one.id === "putAttachment" ? "409 Conflict" : undefined);
    }
  });

  it("a form in the place of JSON", async () => {
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const headers = { authorization: `token ${hostile.token}`, ...type };
    const sent = { method: "PATCH", path: "/api/v1/user/settings", headers, beginning: padded("full_name=") };
    await expectBounded(sent);
  });

  it.each(["upload", "receive"])("git-%s-pack", async (service) => {
    const id = "1".repeat(40);
    const line = service === "upload" ? `have ${id}\n` : `${"0".repeat(40)} ${id} refs/heads/main\n`;
    const packet = `${(line.length + 4).toString(16).padStart(4, "0")}${line}`;
    const headers = {
      ...basic(hostile.name, hostile.token),
      "content-type": `application/x-git-${service}-pack-request`,
    };
    const beginning = Buffer.from(packet.repeat(Math.ceil(sentBytes / packet.length)));
    const path = `/hostile/r.git/git-${service}-pack`;
    await expectBounded({ method: "POST", path, headers, beginning });
  });
});
