import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { getReadableAttachment } from "#core/attachment/readable-attachment";
import { createApi } from "#functions/api/app";
import { tick } from "#functions/workers/tick";
import { checkContract } from "#tests/support/contract/contract";
import { measured } from "#tests/support/measured";
import { lockIssue, openIssue } from "../issue/make.ts";
import { makeRepository } from "../repository/make.ts";
import { sendFile } from "./make.ts";
import { type AttachmentWorld, startAttachments } from "./world.ts";

let world: AttachmentWorld;
beforeAll(async () => {
  world = await startAttachments();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());
const hour = 3_600_000;

const kinds = [
  {
    noun: "Issue",
    path: () => world.onIssue(),
    owners: () => [world.author, world.writer, world.owner],
    strangers: () => [world.reader],
  },
  {
    noun: "IssueComment",
    path: () => world.onComment(),
    owners: () => [world.author, world.owner],
    strangers: () => [world.reader, world.writer],
  },
];
/** For people who look for the tests of an operation. */
const ids = {
  Issue: {
    create: "issueCreateIssueAttachment",
    list: "issueListIssueAttachments",
    get: "issueGetIssueAttachment",
    edit: "issueEditIssueAttachment",
    delete: "issueDeleteIssueAttachment",
  },
  IssueComment: {
    create: "issueCreateIssueCommentAttachment",
    list: "issueListIssueCommentAttachments",
    get: "issueGetIssueCommentAttachment",
    edit: "issueEditIssueCommentAttachment",
    delete: "issueDeleteIssueCommentAttachment",
  },
} as const;

describe.each(kinds)("attachments: $noun", ({ noun, path, owners, strangers }) => {
  const names = ids[noun as keyof typeof ids];

  it(`${names.create} 201: the file is kept, shown, counted and served`, async () => {
    const json = await world.upload(path(), world.author, { name: "notes.txt", bytes: "hello" });
    expect(json).toMatchObject({ name: "notes.txt", size: 5, download_count: 0, type: "attachment" });
    expect(json.created_at).toBe(world.ago(0));
    expect(json.browser_download_url).toMatch(/\/attachments\/[0-9a-f-]{36}$/);
    const file = await world.ask(json.browser_download_url);
    expect([file.status, file.text]).toEqual([200, "hello"]);
    expect(await world.usage()).toEqual([1, 5]);
    const shown =
      noun === "Issue"
        ? await world.issue()
        : await world.get(`${world.where.path}/issues/comments/${world.commentId}`);
    expect(shown.assets).toEqual([{ ...json, download_count: 1 }]);
    const listed = noun === "Issue" ? `${world.where.path}/issues` : `${world.where.path}/issues/1/comments`;
    expect((await world.get(listed))[0].assets).toEqual(shown.assets);
  });

  it(`${names.list}, ${names.get} 200: in the order of upload; 404: one of something else`, async () => {
    const [one, two] = [
      await world.upload(path(), world.author),
      await world.upload(path(), world.author, { name: "b.png" }),
    ];
    const listed = await world.api.call("GET", path());
    expect([listed.json, listed.headers.get("x-total-count")]).toEqual([[one, two], "2"]);
    expect((await world.get(`${path()}?limit=1&page=2`))[0].id).toBe(two.id);
    expect(await world.get(`${path()}?page=99999`)).toEqual([]);
    expect(await world.get(`${path()}/${one.id}`)).toEqual(one);
    const other = noun === "Issue" ? world.onComment() : world.onIssue();
    for (const wrong of [`${other}/${one.id}`, `${path()}/999999`, `${path()}/x`]) {
      expect((await world.api.call("GET", wrong)).status).toBe(404);
    }
    const elsewhere = await makeRepository(world.api, world.owner);
    await openIssue(world.api, elsewhere, world.owner);
    const there = path().replace(world.where.path, elsewhere.path);
    expect((await world.api.call("GET", `${there}/${one.id}`)).status).toBe(404);
  });

  it(`${names.create}, ${names.edit}, ${names.delete} 403: who may not, and nothing is kept`, async () => {
    for (const caller of owners()) await world.upload(path(), caller);
    const [{ id }] = await world.get(path());
    for (const caller of strangers()) {
      expect((await sendFile(world.api, path(), caller)).status).toBe(403);
      const body = { name: "other.txt" };
      expect((await world.api.call("PATCH", `${path()}/${id}`, { as: caller, body })).status).toBe(403);
      expect((await world.api.call("DELETE", `${path()}/${id}`, { as: caller })).status).toBe(403);
    }
    expect(await world.get(path())).toHaveLength(owners().length);
    expect(await world.filesLeft()).toBe(owners().length);
  });

  it(`${names.create} 403: on a locked issue, except for writers; 401: without a login; 423: archived`, async () => {
    expect((await sendFile(world.api, path(), undefined)).status).toBe(401);
    await lockIssue(world.api, world.where, 1);
    expect((await sendFile(world.api, path(), world.author)).status).toBe(403);
    await world.upload(path(), world.owner);
    await world.api.call("PATCH", world.where.path, { as: world.owner, body: { archived: true } });
    expect((await sendFile(world.api, path(), world.owner)).status).toBe(423);
  });

  it(`${names.edit} 201: another name; 422: one that is not allowed; 400: another address`, async () => {
    const { id, ...rest } = await world.upload(path(), world.author);
    const edit = (body: object) => world.api.call("PATCH", `${path()}/${id}`, { as: world.author, body });
    const renamed = await edit({ name: "größe 😀.md" });
    expect([renamed.status, renamed.json]).toEqual([201, { id, ...rest, name: "größe 😀.md" }]);
    expect((await edit({})).json.name).toBe("größe 😀.md");
    for (const name of ["run.exe", "a/b.txt", "a\u0007.txt", "x".repeat(256)]) {
      expect((await edit({ name })).status).toBe(422);
    }
    expect((await edit({ browser_download_url: "https://x.example/a" })).status).toBe(400);
    expect((await world.get(path()))[0].name).toBe("größe 😀.md");
  });

  it(`${names.delete} 204: gone with its usage at once, its file later; 404: again`, async () => {
    const { id, browser_download_url: url } = await world.upload(path(), world.author);
    const before = await world.issue();
    expect((await world.api.call("DELETE", `${path()}/${id}`, { as: world.author })).status).toBe(204);
    expect((await world.api.call("DELETE", `${path()}/${id}`, { as: world.author })).status).toBe(404);
    expect((await world.ask(url)).status).toBe(404);
    expect([await world.get(path()), await world.usage(), await world.itemsLeft()]).toEqual([[], [0, 0], 0]);
    expect((await world.issue()).updated_at).toBe(before.updated_at);
    await tick(world.api.forge);
    expect(await world.filesLeft()).toBe(1);
    world.api.clock.advance(2 * hour);
    await tick(world.api.forge);
    expect(await world.filesLeft()).toBe(0);
  });

  it(`${names.create} 201 each: several at once are all named and counted`, async () => {
    await Promise.all(
      [1, 2, 3, 4].map((number) => world.upload(path(), world.owner, { name: `${number}.txt` })),
    );
    const listed = await world.get(path());
    expect(new Set(listed.map(({ name }: { name: string }) => name)).size).toBe(4);
    expect(await world.usage()).toEqual([4, 20]);
  });

  it(`${names.delete} 204, 404: of two at once one does, and it is counted once`, async () => {
    const { id } = await world.upload(path(), world.author);
    await world.upload(path(), world.author);
    const answers = await Promise.all(
      [world.author, world.owner].map((as) => world.api.call("DELETE", `${path()}/${id}`, { as })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect(await world.usage()).toEqual([1, 5]);
  });
});

describe("downloadAttachment", () => {
  it("200: under a type by its bytes, in a sandbox, under its name; a lie about it counts for nothing", async () => {
    const page = { name: "shot.png", type: "image/png", bytes: "<script>alert(1)</script>" };
    const { browser_download_url: url } = await world.upload(world.onIssue(), world.author, page);
    const { headers } = await world.ask(url);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "content-disposition": "inline; filename=\"shot.png\"; filename*=UTF-8''shot.png",
      etag: `"${url.split("/").at(-1)}"`,
    });
    const binary = await world.upload(`${world.onIssue()}?name=a%22b.zip`, world.author, {
      bytes: new Uint8Array([0, 1, 2]),
    });
    const saved = await world.ask(binary.browser_download_url);
    expect(saved.headers.get("content-disposition")).toMatch(/^attachment; filename="a_b.zip"/);
    expect(saved.headers.get("content-type")).toBe("application/octet-stream");
  });

  it("206, 304, 416: ranges and known files; whole downloads are counted, and starts of them", async () => {
    const { browser_download_url: url, id } = await world.upload(world.onIssue(), world.author, {
      bytes: "0123456789",
    });
    const range = (value: string) => world.ask(url, { headers: { range: value } });
    expect(await range("bytes=2-4")).toMatchObject({ status: 206, text: "234" });
    expect(await range("bytes=-2")).toMatchObject({ status: 206, text: "89" });
    expect((await range("bytes=10-")).status).toBe(416);
    const etag = (await world.ask(url)).headers.get("etag") ?? "";
    expect((await world.ask(url, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await world.ask(url, { method: "HEAD" })).headers.get("content-length")).toBe("10");
    expect((await range("bytes=0-3")).text).toBe("0123");
    expect((await world.get(`${world.onIssue()}/${id}`)).download_count).toBe(2);
  });

  it("404: for callers who may not read the issue, and for what is not there; 403: a token without the scope", async () => {
    const secret = await makeRepository(world.api, world.owner, { isPrivate: true });
    await openIssue(world.api, secret, world.owner);
    const { browser_download_url: url } = await world.upload(`${secret.path}/issues/1/assets`, world.owner);
    expect([(await world.ask(url)).status, (await world.ask(url, { as: world.reader })).status]).toEqual([
      404, 404,
    ]);
    expect((await world.ask(url, { as: world.owner })).status).toBe(200);
    const basic = `Basic ${Buffer.from(`${world.owner.name}:${world.owner.token}`).toString("base64")}`;
    expect((await world.ask(url, { headers: { authorization: basic } })).status).toBe(200);
    const narrow = { ...world.owner, token: await world.api.makeToken(world.owner, ["read:repository"]) };
    expect((await world.ask(url, { as: narrow })).status).toBe(403);
    const open = { ...world.owner, token: await world.api.makeToken(world.owner, ["public-only", "all"]) };
    expect((await world.ask(url, { as: open })).status).toBe(404);
    expect((await world.ask("/attachments/00000000-0000-4000-8000-000000000000")).status).toBe(404);
    expect((await world.ask("/attachments/..%2f..%2fx")).status).toBe(404);
    await world.api.call("PATCH", secret.path, { as: world.owner, body: { has_issues: false } });
    expect((await world.ask(url, { as: world.owner })).status).toBe(404);
  });
});

describe("what it costs", () => {
  /** Requests to the table, units written, objects written. */
  const spent = ({ headers }: { headers: Headers }) =>
    /table;desc="(\d+) requests, \S+ read and (\d+) .*objects;desc="\d+ reads, (\d+)/
      .exec(headers.get("server-timing") ?? "")
      ?.slice(1)
      .map(Number);

  it("a file of one part: one write in S3, 7 requests on an issue and 11 on a comment; reads: what hangs there", async () => {
    await world.upload(world.onIssue(), world.owner);
    const uploaded = await sendFile(world.api, world.onIssue(), world.owner);
    const call = async (method: string, path: string, body?: object) =>
      spent(await world.api.call(method, path, { as: world.owner, body }));
    const one = `${world.onIssue()}/${uploaded.json.id}`;
    expect([spent(uploaded), spent(await sendFile(world.api, world.onComment(), world.owner))]).toEqual([
      [7, 16, 1],
      [11, 20, 1],
    ]);
    expect([await call("GET", world.onIssue()), await call("GET", `${world.where.path}/issues/1`)]).toEqual([
      [3, 0, 0],
      [3, 0, 0],
    ]);
    expect([await call("PATCH", one, { name: "b.txt" }), await call("DELETE", one)]).toEqual([
      [4, 1, 0],
      [5, 16, 0],
    ]);
  });

  it("a download: 5 requests until it is let through, then one write that counts it and one read in S3", async () => {
    const { uuid, browser_download_url: url } = await world.upload(world.onIssue(), world.owner);
    const found = await measured(() => getReadableAttachment(world.api.forge, undefined, uuid));
    const streamed = await measured(() => world.ask(url));
    expect(
      [found, streamed].map(({ usage: used }) => [used.tableRequests, used.tableWriteUnits, used.blobReads]),
    ).toEqual([
      [5, 0, 0],
      [5 + 1, 1, 1],
    ]);
  });
});

describe("getGeneralAttachmentSettings", () => {
  it("200: what is taken; 404: every operation, where attachments are switched off", async () => {
    expect(await world.get("/settings/attachment")).toMatchObject({
      enabled: true,
      max_size: 1,
      max_files: 5,
    });
    const { id } = await world.upload(world.onIssue(), world.author);
    const forge = { ...world.api.forge, config: { ...world.api.forge.config, attachmentEnabled: false } };
    const app = createApi({ forge, observe: checkContract });
    const ask404 = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `token ${world.author.token}`, "content-type": "application/json" };
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      return (await app.request(`/api/v1${path}`, { method, headers, ...init })).status;
    };
    const one = `${world.onIssue()}/${id}`;
    const statuses = [
      await ask404("GET", world.onIssue()),
      await ask404("POST", world.onIssue(), { name: "a.txt", size: 1 }),
      await ask404("GET", one),
      await ask404("PATCH", one, { name: "b.txt" }),
      await ask404("DELETE", one),
    ];
    expect(statuses).toEqual([404, 404, 404, 404, 404]);
    expect((await world.get(world.onIssue())).length).toBe(1);
  });
});
