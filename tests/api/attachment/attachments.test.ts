import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { attachmentFiles, attachmentKey, attachmentsPartition } from "#core/attachment/attachment.table";
import type { Forge } from "#core/forge";
import * as issues from "#core/issue/issue";
import * as issueAttachments from "#core/issue-attachment/issue-attachment";
import { cardKey } from "#core/repository/repository.table";
import { update } from "#core/table";
import { createApi } from "#functions/api/app";
import { tick } from "#functions/workers/tick";
import { finishJobs } from "#tests/api/organization/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { checkContract } from "#tests/support/contract";
import { measured } from "#tests/support/measured";
import { setIssue } from "#tests/support/set-listed";
import {
  addComment,
  lockIssue,
  makeRepository,
  openIssue,
  setRepository,
  type TestRepository,
} from "../issue/make.ts";
import { beside, type SentFile, sendFile, sendForm } from "./make.ts";

let api: TestApi;
let ask: ReturnType<typeof beside>;
let owner: Caller;
let author: Caller;
let writer: Caller;
let reader: Caller;
let where: TestRepository;
let commentId: number;

beforeAll(async () => {
  api = await makeApi({ settings: { ATTACHMENT_MAX_SIZE: "1" } });
  ask = beside(api);
  [owner, author, writer, reader] = [
    await api.makeUser(),
    await api.makeUser(),
    await api.makeUser(),
    await api.makeUser(),
  ];
});
const hour = 3_600_000;
beforeEach(async () => {
  where = await makeRepository(api, owner);
  const body = { permission: "write" };
  await api.call("PUT", `${where.path}/collaborators/${writer.name}`, { as: owner, body });
  await openIssue(api, where, author);
  commentId = (await addComment(api, where, 1, author)).id;
  api.clock.advance(2 * hour);
});
afterAll(() => api.stop());

const onIssue = (number = 1) => `${where.path}/issues/${number}/assets`;
const onComment = (id = commentId) => `${where.path}/issues/comments/${id}/assets`;
const upload = async (path: string, as: Caller, file?: SentFile) => {
  const answer = await sendFile(api, path, as, file);
  expect(answer.text && answer.status).toBe(201);
  return answer.json;
};
const get = async (path: string, as?: Caller) => (await api.call("GET", path, { as })).json;
const issue = () => get(`${where.path}/issues/1`);
const text = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z/, "Z");
const ago = (ms: number) => text(api.clock.now() - ms);
const usage = async () => {
  const card = await api.forge.table.get(cardKey(owner.user.id, where.repository.id));
  return [card?.issueAttachments ?? 0, card?.issueAttachmentBytes ?? 0];
};
const filesLeft = async () => {
  const keys: string[] = [];
  for await (const { key } of api.forge.blobs.list(attachmentFiles(where.repository.id))) keys.push(key);
  return keys.length;
};
const itemsLeft = async () =>
  (await api.forge.table.queryAll({ pk: attachmentsPartition(where.repository.id) })).length;

const kinds = [
  { noun: "Issue", path: onIssue, owners: () => [author, writer, owner], strangers: () => [reader] },
  {
    noun: "IssueComment",
    path: onComment,
    owners: () => [author, owner],
    strangers: () => [reader, writer],
  },
];
/** For whoever looks for the tests of an operation. */
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
    const json = await upload(path(), author, { name: "notes.txt", bytes: "hello" });
    expect(json).toMatchObject({ name: "notes.txt", size: 5, download_count: 0, type: "attachment" });
    expect(json.created_at).toBe(ago(0));
    expect(json.browser_download_url).toMatch(/\/attachments\/[0-9a-f-]{36}$/);
    const file = await ask(json.browser_download_url);
    expect([file.status, file.text]).toEqual([200, "hello"]);
    expect(await usage()).toEqual([1, 5]);
    const shown = noun === "Issue" ? await issue() : await get(`${where.path}/issues/comments/${commentId}`);
    expect(shown.assets).toEqual([{ ...json, download_count: 1 }]);
    const listed = noun === "Issue" ? `${where.path}/issues` : `${where.path}/issues/1/comments`;
    expect((await get(listed))[0].assets).toEqual(shown.assets);
  });

  it(`${names.list}, ${names.get} 200: in the order of upload; 404: one of something else`, async () => {
    const [one, two] = [await upload(path(), author), await upload(path(), author, { name: "b.png" })];
    const listed = await api.call("GET", path());
    expect([listed.json, listed.headers.get("x-total-count")]).toEqual([[one, two], "2"]);
    expect((await get(`${path()}?limit=1&page=2`))[0].id).toBe(two.id);
    expect(await get(`${path()}?page=99999`)).toEqual([]);
    expect(await get(`${path()}/${one.id}`)).toEqual(one);
    const other = noun === "Issue" ? onComment() : onIssue();
    for (const wrong of [`${other}/${one.id}`, `${path()}/999999`, `${path()}/x`]) {
      expect((await api.call("GET", wrong)).status).toBe(404);
    }
    const elsewhere = await makeRepository(api, owner);
    await openIssue(api, elsewhere, owner);
    const there = path().replace(where.path, elsewhere.path);
    expect((await api.call("GET", `${there}/${one.id}`)).status).toBe(404);
  });

  it(`${names.create}, ${names.edit}, ${names.delete} 403: who may not, and nothing is kept`, async () => {
    for (const caller of owners()) await upload(path(), caller);
    const [{ id }] = await get(path());
    for (const caller of strangers()) {
      expect((await sendFile(api, path(), caller)).status).toBe(403);
      const body = { name: "other.txt" };
      expect((await api.call("PATCH", `${path()}/${id}`, { as: caller, body })).status).toBe(403);
      expect((await api.call("DELETE", `${path()}/${id}`, { as: caller })).status).toBe(403);
    }
    expect(await get(path())).toHaveLength(owners().length);
    expect(await filesLeft()).toBe(owners().length);
  });

  it(`${names.create} 403: on a locked issue, but for writers; 401: without a login; 423: archived`, async () => {
    expect((await sendFile(api, path(), undefined)).status).toBe(401);
    await lockIssue(api, where, 1);
    expect((await sendFile(api, path(), author)).status).toBe(403);
    await upload(path(), owner);
    await api.call("PATCH", where.path, { as: owner, body: { archived: true } });
    expect((await sendFile(api, path(), owner)).status).toBe(423);
  });

  it(`${names.edit} 201: another name; 422: one that is not allowed; 400: another address`, async () => {
    const { id, ...rest } = await upload(path(), author);
    const edit = (body: object) => api.call("PATCH", `${path()}/${id}`, { as: author, body });
    const renamed = await edit({ name: "größe 😀.md" });
    expect([renamed.status, renamed.json]).toEqual([201, { id, ...rest, name: "größe 😀.md" }]);
    expect((await edit({})).json.name).toBe("größe 😀.md");
    for (const name of ["run.exe", "a/b.txt", "a\u0007.txt", "x".repeat(256)]) {
      expect((await edit({ name })).status).toBe(422);
    }
    expect((await edit({ browser_download_url: "https://x.example/a" })).status).toBe(400);
    expect((await get(path()))[0].name).toBe("größe 😀.md");
  });

  it(`${names.delete} 204: gone with its usage at once, its file later; 404: again`, async () => {
    const { id, browser_download_url: url } = await upload(path(), author);
    const before = await issue();
    expect((await api.call("DELETE", `${path()}/${id}`, { as: author })).status).toBe(204);
    expect((await api.call("DELETE", `${path()}/${id}`, { as: author })).status).toBe(404);
    expect((await ask(url)).status).toBe(404);
    expect([await get(path()), await usage(), await itemsLeft()]).toEqual([[], [0, 0], 0]);
    expect((await issue()).updated_at).toBe(before.updated_at);
    await tick(api.forge);
    expect(await filesLeft()).toBe(1);
    api.clock.advance(2 * hour);
    await tick(api.forge);
    expect(await filesLeft()).toBe(0);
  });

  it(`${names.create} 201 each: several at once are all named and counted`, async () => {
    await Promise.all([1, 2, 3, 4].map((number) => upload(path(), owner, { name: `${number}.txt` })));
    const listed = await get(path());
    expect(new Set(listed.map(({ name }: { name: string }) => name)).size).toBe(4);
    expect(await usage()).toEqual([4, 20]);
  });

  it(`${names.delete} 204, 404: of two at once one does, and it is counted once`, async () => {
    const { id } = await upload(path(), author);
    await upload(path(), author);
    const answers = await Promise.all(
      [author, owner].map((as) => api.call("DELETE", `${path()}/${id}`, { as })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect(await usage()).toEqual([1, 5]);
  });
});

describe("the form of an upload", () => {
  it("201: the query's name comes first, then the form's, then the file's", async () => {
    const fields = { name: "form.txt" };
    expect((await upload(onIssue(), author, { fields })).name).toBe("form.txt");
    expect((await upload(`${onIssue()}?name=query.txt`, author, { fields })).name).toBe("query.txt");
    expect((await upload(onIssue(), author, { name: "größe 😀.md" })).name).toBe("größe 😀.md");
    expect((await upload(onIssue(), author, { name: "C:\\folder\\file.txt" })).name).toBe("file.txt");
  });

  it("422: a name with folders, control characters, or too long", async () => {
    for (const name of ["a/b.txt", "..\\\\b.txt", "a\u0007.txt", "a\u2028.txt", `${"x".repeat(252)}.txt`]) {
      const query = `?name=${encodeURIComponent(name)}`;
      expect([name, (await sendFile(api, `${onIssue()}${query}`, author)).status]).toEqual([name, 422]);
    }
    expect([await get(onIssue()), await usage()]).toEqual([[], [0, 0]]);
  });

  it("400: no file, no form, a form that is cut off; 415: JSON text and others", async () => {
    const form = new FormData();
    form.set("name", "a.txt");
    expect((await sendForm(api, onIssue(), author, form)).status).toBe(400);
    form.set("other", new File(["x"], "a.txt"));
    expect((await sendForm(api, onIssue(), author, form)).status).toBe(400);
    const send = (type: string, raw: string) =>
      api.call("POST", onIssue(), { as: author, headers: { "content-type": type }, raw });
    expect((await send("multipart/form-data", "x")).status).toBe(400);
    expect((await send("multipart/form-data; boundary=b", "x")).status).toBe(400);
    const cut =
      '--b\r\ncontent-disposition: form-data; name="attachment"; filename="a.txt"\r\n\r\nhalf of a fi';
    expect((await send("multipart/form-data; boundary=b", cut)).status).toBe(400);
    expect((await send("text/plain", "x")).status).toBe(415);
    for (const name of ["attachment", "other"]) {
      const two = new FormData();
      for (const file of ["a.txt", "b.txt"]) two.append("attachment", new File(["x"], file));
      two.append(name, "no file");
      expect((await sendForm(api, onIssue(), author, two)).json.message).toMatch(/one at a time/);
    }
    expect([await get(onIssue()), await usage()]).toEqual([[], [0, 0]]);
  });

  it("413: over ATTACHMENT_MAX_SIZE, whatever its length header claims; nothing becomes of it", async () => {
    const bytes = new Uint8Array(2 ** 20);
    await upload(onIssue(), author, { bytes });
    for (const more of [1, 2 ** 20]) {
      const refused = await sendFile(api, onIssue(), author, { bytes: new Uint8Array(2 ** 20 + more) });
      expect([refused.status, refused.json.message]).toEqual([413, expect.stringMatching(/at most/)]);
    }
    expect(await usage()).toEqual([1, 2 ** 20]);
  });

  it("413: a form of more texts, files or parts than are read, or too long a text: none is left out in silence", async () => {
    const updated_at = ago(0);
    const formOf = (texts: number, files: number, fields: Readonly<Record<string, string>>) => {
      const form = new FormData();
      form.set("attachment", new File(["hello"], "a.txt"));
      for (let at = 0; at < texts; at += 1) form.set(`text-${at}`, "");
      for (let at = 0; at < files; at += 1) form.set(`file-${at}`, new File([""], "b.txt"));
      for (const [field, value] of Object.entries(fields)) form.set(field, value);
      return sendForm(api, onIssue(), owner, form);
    };
    for (const [texts, files, fields] of [
      [20, 0, { updated_at }],
      [0, 10, { updated_at }],
      [20, 9, { updated_at }],
      [0, 0, { name: "n".repeat(5_000) }],
    ] as const) {
      const { status, json } = await formOf(texts, files, fields);
      expect([status, json.message]).toEqual([413, expect.stringContaining("at most 20 texts")]);
    }
    expect([await get(onIssue()), await usage()]).toEqual([[], [0, 0]]);
    const most = await formOf(19, 9, { updated_at: ago(0) });
    expect([most.status, most.json.created_at]).toEqual([201, ago(0)]);
  });

  it("201: an empty file", async () => {
    const { size, browser_download_url: url } = await upload(onIssue(), author, { bytes: "" });
    const file = await ask(url);
    expect([size, file.status, file.text]).toEqual([0, 200, ""]);
  });

  it("422: a kind of file that is not allowed, by its name; its content counts by its first bytes", async () => {
    expect((await sendFile(api, onIssue(), author, { name: "run.exe", type: "image/png" })).status).toBe(422);
    expect(await get(onIssue())).toEqual([]);
    await tick(api.forge);
    expect(await filesLeft()).toBe(1);
    api.clock.advance(25 * hour);
    await tick(api.forge);
    expect(await filesLeft()).toBe(0);
  });

  it("404: no such issue or comment, before the file is read; one of another repository; an entry that is none", async () => {
    const elsewhere = await makeRepository(api, owner);
    await openIssue(api, elsewhere, owner);
    const other = await addComment(api, elsewhere, 1, owner);
    for (const path of [onIssue(9), onComment(999_999), onComment(other.id)]) {
      expect((await sendFile(api, path, owner)).status).toBe(404);
    }
    await api.call("PATCH", `${where.path}/issues/1`, { as: owner, body: { title: "renamed" } });
    expect((await sendFile(api, onComment(commentId + 1), owner)).status).toBe(404);
    expect(await filesLeft()).toBe(0);
  });

  it("422: more than a hundred on one issue", async () => {
    const { id } = await upload(onIssue(), author);
    const attachmentIds = Array.from({ length: 100 }, () => id);
    await setIssue(api.forge, where.repository.id, 1, { attachmentIds });
    expect((await sendFile(api, onIssue(), author)).status).toBe(422);
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
    await upload(onIssue(), owner);
    const uploaded = await sendFile(api, onIssue(), owner);
    const call = async (method: string, path: string, body?: object) =>
      spent(await api.call(method, path, { as: owner, body }));
    const one = `${onIssue()}/${uploaded.json.id}`;
    expect([spent(uploaded), spent(await sendFile(api, onComment(), owner))]).toEqual([
      [7, 12, 1],
      [11, 16, 1],
    ]);
    expect([await call("GET", onIssue()), await call("GET", `${where.path}/issues/1`)]).toEqual([
      [3, 0, 0],
      [3, 0, 0],
    ]);
    expect([await call("PATCH", one, { name: "b.txt" }), await call("DELETE", one)]).toEqual([
      [4, 1, 0],
      [5, 12, 0],
    ]);
  });

  it("a download: 5 requests until it is let through, then one write that counts it and one read in S3", async () => {
    const { uuid, browser_download_url: url } = await upload(onIssue(), owner);
    const found = await measured(() => issueAttachments.getByAddress(api.forge, undefined, uuid));
    const streamed = await measured(() => ask(url));
    expect(
      [found, streamed].map(({ usage: used }) => [used.tableRequests, used.tableWriteUnits, used.blobReads]),
    ).toEqual([
      [5, 0, 0],
      [5 + 1, 1, 1],
    ]);
  });
});

describe("downloadAttachment", () => {
  it("200: under a type by its bytes, in a sandbox, under its name; a lie about it counts for nothing", async () => {
    const page = { name: "shot.png", type: "image/png", bytes: "<script>alert(1)</script>" };
    const { browser_download_url: url } = await upload(onIssue(), author, page);
    const { headers } = await ask(url);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "content-disposition": "inline; filename=\"shot.png\"; filename*=UTF-8''shot.png",
      etag: `"${url.split("/").at(-1)}"`,
    });
    const binary = await upload(`${onIssue()}?name=a%22b.zip`, author, { bytes: new Uint8Array([0, 1, 2]) });
    const saved = await ask(binary.browser_download_url);
    expect(saved.headers.get("content-disposition")).toMatch(/^attachment; filename="a_b.zip"/);
    expect(saved.headers.get("content-type")).toBe("application/octet-stream");
  });

  it("206, 304, 416: ranges and known files; whole downloads are counted, and starts of them", async () => {
    const { browser_download_url: url, id } = await upload(onIssue(), author, { bytes: "0123456789" });
    const range = (value: string) => ask(url, { headers: { range: value } });
    expect(await range("bytes=2-4")).toMatchObject({ status: 206, text: "234" });
    expect(await range("bytes=-2")).toMatchObject({ status: 206, text: "89" });
    expect((await range("bytes=10-")).status).toBe(416);
    const etag = (await ask(url)).headers.get("etag") ?? "";
    expect((await ask(url, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await ask(url, { method: "HEAD" })).headers.get("content-length")).toBe("10");
    expect((await range("bytes=0-3")).text).toBe("0123");
    expect((await get(`${onIssue()}/${id}`)).download_count).toBe(2);
  });

  it("404: for who may not read the issue, and what is not there; 403: a token without the scope", async () => {
    const secret = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, secret, owner);
    const { browser_download_url: url } = await upload(`${secret.path}/issues/1/assets`, owner);
    expect([(await ask(url)).status, (await ask(url, { as: reader })).status]).toEqual([404, 404]);
    expect((await ask(url, { as: owner })).status).toBe(200);
    const basic = `Basic ${Buffer.from(`${owner.name}:${owner.token}`).toString("base64")}`;
    expect((await ask(url, { headers: { authorization: basic } })).status).toBe(200);
    const narrow = { ...owner, token: await api.makeToken(owner, ["read:repository"]) };
    expect((await ask(url, { as: narrow })).status).toBe(403);
    const open = { ...owner, token: await api.makeToken(owner, ["public-only", "all"]) };
    expect((await ask(url, { as: open })).status).toBe(404);
    expect((await ask("/attachments/00000000-0000-4000-8000-000000000000")).status).toBe(404);
    expect((await ask("/attachments/..%2f..%2fx")).status).toBe(404);
    await api.call("PATCH", secret.path, { as: owner, body: { has_issues: false } });
    expect((await ask(url, { as: owner })).status).toBe(404);
  });
});

describe("getGeneralAttachmentSettings", () => {
  it("200: what is taken; 404: every operation, where attachments are switched off", async () => {
    expect(await get("/settings/attachment")).toMatchObject({ enabled: true, max_size: 1, max_files: 5 });
    const { id } = await upload(onIssue(), author);
    const forge = { ...api.forge, config: { ...api.forge.config, attachmentEnabled: false } };
    const app = createApi({ forge, observe: checkContract });
    const ask404 = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `token ${author.token}`, "content-type": "application/json" };
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      return (await app.request(`/api/v1${path}`, { method, headers, ...init })).status;
    };
    const one = `${onIssue()}/${id}`;
    const statuses = [
      await ask404("GET", onIssue()),
      await ask404("POST", onIssue(), { name: "a.txt", size: 1 }),
      await ask404("GET", one),
      await ask404("PATCH", one, { name: "b.txt" }),
      await ask404("DELETE", one),
    ];
    expect(statuses).toEqual([404, 404, 404, 404, 404]);
    expect((await get(onIssue())).length).toBe(1);
  });
});

describe("where clients reach S3", () => {
  const s3 = "https://bucket.s3.example/";
  const reached = (): Forge => ({
    ...api.forge,
    blobs: {
      ...api.forge.blobs,
      uploadUrl: async (key, sizeBytes) => `${s3}${key}?put=${sizeBytes}`,
      downloadUrl: async (key, { contentType, contentDisposition }) =>
        `${s3}${key}?as=${contentType}&name=${encodeURIComponent(contentDisposition)}`,
    },
  });

  it("302: S3 gives out what is too large for a stream, to who may read it; it is counted (downloadAttachment)", async () => {
    const { id, uuid, browser_download_url: url } = await upload(onIssue(), author, { name: "a.zip" });
    const askThere = beside({ ...api, forge: reached() });
    expect((await askThere(url)).status).toBe(200);
    const key = attachmentKey(where.repository.id, id);
    await api.forge.table.write(update(key, { set: { sizeBytes: 151 * 2 ** 20 } }));
    const { status, headers } = await askThere(url);
    expect([status, headers.get("cache-control")]).toEqual([302, "no-store"]);
    expect(headers.get("location")).toMatch(`${s3}r/${where.repository.id}/a/${uuid}?as=text/plain`);
    expect((await get(`${onIssue()}/${id}`)).download_count).toBe(2);
    await setRepository(api, where, { isPrivate: true });
    expect((await askThere(url)).status).toBe(404);
    expect((await askThere(url, { as: owner })).status).toBe(302);
  });

  it("202: an announced file is put there", async () => {
    const app = createApi({ forge: reached(), observe: checkContract });
    const answer = await app.request(`/api/v1${onIssue()}`, {
      method: "POST",
      headers: { authorization: `token ${author.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "big.zip", size: 7 }),
    });
    const json = (await answer.json()) as { uuid: string; upload_url: string };
    expect([answer.status, json.upload_url]).toEqual([
      202,
      `${s3}r/${where.repository.id}/a/${json.uuid}?put=7`,
    ]);
  });
});

describe("attachments of what is deleted", () => {
  it("go with a comment: hidden at once, removed by the tick", async () => {
    const { browser_download_url: url } = await upload(onComment(), author);
    await upload(onIssue(), author, { bytes: "stays" });
    await api.call("DELETE", `${where.path}/issues/comments/${commentId}`, { as: author });
    expect((await ask(url)).status).toBe(404);
    await tick(api.forge);
    expect([await usage(), await itemsLeft()]).toEqual([[1, 5], 1]);
    api.clock.advance(2 * hour);
    await tick(api.forge);
    expect(await filesLeft()).toBe(1);
  });

  it("go with an issue, those of its comments too", async () => {
    const urls = [await upload(onIssue(), author), await upload(onComment(), author)].map(
      ({ browser_download_url: url }) => url,
    );
    await issues.purge(api.forge, where.repository.id, 1);
    for (const url of urls) expect((await ask(url)).status).toBe(404);
    await tick(api.forge);
    expect([await usage(), await itemsLeft()]).toEqual([[0, 0], 0]);
    api.clock.advance(2 * hour);
    await tick(api.forge);
    expect(await filesLeft()).toBe(0);
  });

  it("go with a purged user where he wrote the issue or comment; what he attached to those of others stays (B-14)", async () => {
    const [admin, leaving] = [await api.makeUser({ isAdmin: true }), await api.makeUser()];
    const body = { permission: "write" };
    await api.call("PUT", `${where.path}/collaborators/${leaving.name}`, { as: owner, body });
    await openIssue(api, where, leaving);
    const own = await addComment(api, where, 1, leaving);
    const gone = [await upload(onIssue(2), leaving), await upload(onComment(own.id), leaving)];
    const stays = await upload(onIssue(), leaving, { bytes: "stays" });
    const path = `/admin/users/${leaving.name}?purge=true`;
    expect((await api.call("DELETE", path, { as: admin })).status).toBe(204);
    await finishJobs(api);
    await tick(api.forge);
    for (const { browser_download_url: url } of gone) expect((await ask(url)).status).toBe(404);
    expect((await issue()).assets).toEqual([stays]);
    const file = await ask(stays.browser_download_url);
    expect([file.status, file.text]).toEqual([200, "stays"]);
    expect([await usage(), await itemsLeft()]).toEqual([[1, 5], 1]);
    api.clock.advance(2 * hour);
    await tick(api.forge);
    expect(await filesLeft()).toBe(1);
  });

  it("go with their repository; their usage moves with it to another owner", async () => {
    const { browser_download_url: url } = await upload(onIssue(), author);
    const body = { new_owner: reader.name };
    await api.call("POST", `${where.path}/transfer`, { as: owner, body });
    const [, , , name] = where.path.split("/");
    const accepted = await api.call("POST", `${where.path}/transfer/accept`, { as: reader });
    expect(accepted.status).toBe(202);
    const card = await api.forge.table.get(cardKey(reader.user.id, where.repository.id));
    expect([card?.issueAttachments, card?.issueAttachmentBytes]).toEqual([1, 5]);
    await upload(`/repos/${reader.name}/${name}/issues/1/assets`, reader, { bytes: "more" });
    await api.call("DELETE", `/repos/${reader.name}/${name}`, { as: reader });
    expect((await ask(url, { as: reader })).status).toBe(404);
    const { emptyRepository } = await import("#core/repository/emptying");
    const args = { repositoryId: where.repository.id, hiddenAt: api.clock.now() };
    let cursor: Parameters<typeof emptyRepository.step>[2];
    for (;;) {
      const step = await emptyRepository.step(api.forge, args, cursor);
      if ("done" in step || step.waitMs !== undefined) break;
      cursor = step.cursor;
    }
    expect([await itemsLeft(), await filesLeft()]).toEqual([0, 0]);
  });
});

describe("a file that is larger than a request may be", () => {
  const announce = (body: object, as = author, path = onIssue()) => api.call("POST", path, { as, body });
  const put = (url: string, bytes: string) => ask(url, { method: "PUT", body: bytes });

  it("202, 204, 201: announced, put by itself, made an attachment with a date", async () => {
    const announced = await announce({ name: "big.zip", size: 5 });
    expect([announced.status, announced.json.expires_at]).toEqual([202, ago(-hour)]);
    const { uuid, upload_url: url } = announced.json;
    expect((await announce({ uuid })).status).toBe(409);
    expect((await ask(url)).status).toBe(404);
    expect((await put(url, "bytes")).status).toBe(204);
    const at = ago(hour);
    expect((await announce({ uuid, updated_at: at }, owner)).status).toBe(404);
    expect((await announce({ uuid, updated_at: at })).status).toBe(403);
    const made = await announce({ uuid });
    expect([made.status, made.json]).toEqual([
      201,
      expect.objectContaining({ uuid, name: "big.zip", size: 5 }),
    ]);
    expect((await ask(made.json.browser_download_url)).text).toBe("bytes");
    expect(await usage()).toEqual([1, 5]);
    expect((await put(url, "other")).status).toBe(404);
    expect((await announce({ uuid })).status).toBe(404);
  });

  it("400: neither form; 413: announced over the bound; 422: put with another size, an unknown kind", async () => {
    for (const body of [{}, { name: "a.txt" }, { size: 3 }]) expect((await announce(body)).status).toBe(400);
    expect((await announce({ name: "a.txt", size: 2 ** 20 + 1 })).status).toBe(413);
    expect((await announce({ name: "a.txt", size: -1 })).status).toBe(422);
    expect((await announce({ name: "a.txt", size: 5 }, reader)).status).toBe(403);
    const { uuid, upload_url: url } = (await announce({ name: "run.exe", size: 5 })).json;
    expect([(await put(url, "1234")).status, (await put(url, "123456")).status]).toEqual([422, 422]);
    expect((await put(url, "12345")).status).toBe(204);
    expect((await put(url, "54321")).status).toBe(409);
    expect((await announce({ uuid })).status).toBe(422);
    expect((await announce({ uuid }, author, onComment())).status).toBe(404);
    expect(await get(onIssue())).toEqual([]);
  });

  it("404: once it is too late; its file goes", async () => {
    const { uuid, upload_url: url } = (await announce({ name: "a.txt", size: 5 })).json;
    await put(url, "12345");
    api.clock.advance(25 * hour);
    expect((await announce({ uuid })).status).toBe(404);
    api.clock.advance(25 * hour);
    await tick(api.forge);
    expect(await filesLeft()).toBe(0);
  });
});
