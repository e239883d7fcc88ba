import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Intake } from "#core/capacity/intake";
import { answerBounds, boundAnswers } from "#infra/local/http/held-answers";
import { createSite } from "#infra/local/http/site";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { until } from "#tests/support/until";

const mib = 2 ** 20;
/** Room for one large answer of a caller at a time, and for three of different ones. */
const intake = new Intake({
  ...{ memoryBytes: 9 * mib, largestWorkBytes: 3 * mib, diskBytes: mib, largestFileBytes: mib },
  ...{ files: 1, smallBytes: 64 * 1024, patienceMs: 20_000 },
});

let api: TestApi;
let hostile: Caller;
let innocent: Caller;
let server: Server;
let blob: string;

beforeAll(async () => {
  api = await makeApi({ simulation: false, settings: { RATE_LIMITS: "false" } });
  hostile = await api.makeUser({ name: "hostile" });
  innocent = await api.makeUser({ name: "innocent" });
  const site = createSite(api.forge, intake);
  server = createServer(getRequestListener(site.fetch));
  boundAnswers(server, answerBounds(intake, api.forge.config));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const call = (path: string, body: object) => api.call("POST", path, { as: hostile, body });
  await call("/user/repos", { name: "r", auto_init: true });
  const content = Buffer.alloc(300_000, "text of a line\n").toString("base64");
  const { json } = await call("/repos/hostile/r/contents/large.txt", { content });
  blob = json.content.sha;
  await call("/repos/hostile/r/issues", { title: "long", body: "word ".repeat(13_000) });
  await call("/repos/hostile/r/issues/1/comments", { body: "word ".repeat(13_000) });
  for (const at of [1, 2, 3, 4, 5]) {
    const description = "word ".repeat(13_000);
    await call("/repos/hostile/r/statuses/main", { state: "success", context: `c${at}`, description });
  }
  const released = await call("/repos/hostile/r/releases", { tag_name: "v1" });
  const url = `https://example.com/${"a".repeat(2_000)}`;
  const assets = `/repos/hostile/r/releases/${released.json.id}/assets`;
  for (let at = 0; at < 60; at++)
    await api.call("POST", `${assets}?name=asset-${at}&external_url=${url}`, { as: hostile });
  const names = Array.from({ length: 300 }, (_, at) => `folder/${"n".repeat(200)}${at}`);
  const text = "a line that was not there\n".repeat(10_000);
  const files = { ...Object.fromEntries(names.map((name) => [name, ""])), "added.txt": text };
  const message = "word ".repeat(30_000);
  await pushFiles(api, hostile, "r", { files, message, branch: "topic", from: "main" });
  for (const at of [1, 2, 3]) {
    const more = { files: { a: String(at) }, message: `${at} ${message}`, branch: "topic" };
    await pushFiles(api, hostile, "r", more);
  }
  await call("/repos/hostile/r/pulls", { title: "a request", head: "topic", base: "main" });
});
afterEach(() => until(() => intake.memory.held === 0));
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await api.stop();
});

async function get(path: string, { token }: Caller) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/repos/hostile/r/${path}`;
  const response = await fetch(url, { headers: { authorization: `token ${token}` } });
  return { status: response.status, text: await response.text() };
}

describe("answers count as memory of the caller's while they are made, and until they are taken", () => {
  it.each([
    ["a blob", () => `git/blobs/${blob}`],
    ["several blobs", () => `git/blobs?shas=${blob},${blob}`],
    ["a file", () => "contents/large.txt"],
    ["a file with more", () => "contents-ext/large.txt?includes=file_content"],
    ["several files", () => `file-contents?body=${encodeURIComponent('{"files":["large.txt"]}')}`],
    ["issues", () => "issues?limit=5"],
    ["comments", () => "issues/comments?limit=5"],
    ["a timeline", () => "issues/1/timeline?limit=5"],
  ])("%s", async (_name, path) => {
    const taken = vi.spyOn(intake.memory, "take").mockClear();
    const hostiles = Array.from({ length: 12 }, () => get(path(), hostile));
    const answers = await Promise.all([...hostiles, get(path(), innocent)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const amounts = taken.mock.calls.map(([, amount]) => amount);
    expect(amounts).toEqual(Array(13).fill(expect.toSatisfy((bytes: number) => bytes > mib)));
    expect(intake.memory.peak).toBeLessThanOrEqual(intake.memory.bounds.most);
  });

  it.each([
    ["reports on a commit", "statuses/main?limit=50"],
    ["those of one state", "statuses/main?state=success"],
    ["reports on a ref", "commits/main/statuses?limit=50"],
    ["their combined state", "commits/main/status"],
    ["commits", "commits?sha=topic&stat=false&files=false"],
    ["a comparison", "compare/main...topic"],
    ["a comparison as a diff", "compare/main...topic?output=diff"],
    ["a comparison as mails", "compare/main...topic?output=patch"],
    ["a commit as a diff", "git/commits/topic~3.diff"],
    ["a commit as a mail", "git/commits/topic~3.patch"],
    ["a request as a diff", "pulls/2.diff"],
    ["a request as mails", "pulls/2.patch"],
    ["a request's files", "pulls/2/files"],
    ["a request's commits", "pulls/2/commits?files=false"],
    ["a folder", "contents/folder?ref=topic"],
    ["a folder with more", "contents-ext/folder?ref=topic"],
    ["a tree of long names", "git/trees/topic:folder?per_page=1000"],
    ["a release with many assets", "releases/tags/v1"],
    ["the latest of them", "releases/latest"],
  ])("%s: no less than the answer has bytes, and once for one caller at a time", async (_name, path) => {
    const { text } = await get(path, innocent);
    const taken = vi.spyOn(intake.memory, "take").mockClear();
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => get(path, hostile)),
      get(path, innocent),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const reserved = taken.mock.calls.reduce((sum, [, amount]) => sum + amount, 0);
    expect(reserved).toBeGreaterThan(6 * Math.min(2 * text.length, mib));
    expect(intake.memory.peak).toBeLessThanOrEqual(intake.memory.bounds.most);
  });

  it("of blobs that are asked for at once, those past 4 MiB come without content (D-BIGBODY)", async () => {
    const path = `/repos/hostile/r/git/blobs?shas=${Array(20).fill(blob).join(",")}`;
    const { json } = await api.call("GET", path, { as: innocent });
    const sizes = json.map(({ content, size }: { content: string; size: number }) => [
      Buffer.from(content, "base64").length,
      size,
    ]);
    const shown = Math.floor((4 * mib) / 300_000);
    expect(sizes).toEqual([
      ...Array(shown).fill([300_000, 300_000]),
      ...Array(20 - shown).fill([0, 300_000]),
    ]);
  });
});
