import type { Hono } from "hono";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cancelRun } from "#core/actions/job/end-job";
import { findRun } from "#core/actions/run/run";
import { boundedIntake } from "#core/capacity/intake";
import { checkRepository } from "#core/lifecycle/check/check";
import { cardKey } from "#core/repository/repository.table";
import { createSite } from "#infra/local/http/site";
import { sha256 } from "#tests/api/artifact/world";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { holdTimeStill } from "#tests/support/still-time";
import { ArtifactClient } from "./artifact-client.ts";
import { job, makeRun, makeRunner } from "./make.ts";

let api: TestApi;
let owner: Caller;
let site: Hono;
beforeAll(async () => {
  api = await makeApi({ settings: { ARTIFACT_MAX_SIZE: "1" } });
  owner = await api.makeUser({ name: "olga" });
  site = createSite(api.forge, boundedIntake(api.forge.config));
});
afterAll(() => api.stop());

let made = 0;
/** A job that a runner works on, in a repository of its own, and what ends it. */
async function startJob() {
  made += 1;
  const id = await makeRepository(api, owner, `r${made}`);
  await api.call("PATCH", `/repos/olga/r${made}`, { as: owner, body: { has_actions: true } });
  const place = { id, ownerId: owner.user.id };
  const runner = await makeRunner(api, { kind: "repository", ...place }, ["linux"]);
  const text = "on: push\njobs: {a: {runs-on: linux, steps: [{run: echo}]}}";
  const run = await makeRun(api, place, [job("a")], text);
  const { message } = await runner.call("FetchTask", { tasksVersion: 0 });
  const { context } = message.task;
  const { rootUrl } = api.forge.config;
  const client = (token: string) => new ArtifactClient(site, { token, runId: context.run_id, rootUrl });
  return {
    ...{ id, name: `r${made}`, run, runner, taskId: message.task.id },
    ...{ client: client(context.gitea_runtime_token), byTaskToken: client(context.token) },
    end: () => runner.call("UpdateTask", { state: { id: message.task.id, result: "RESULT_SUCCESS" } }),
    /** How many artifacts the owner is counted, and their bytes. */
    async usage() {
      const card = await api.forge.table.get(cardKey(owner.user.id, id));
      return [Number(card?.artifacts ?? 0), Number(card?.artifactBytes ?? 0)];
    },
    expectWhole: async () => expect(await checkRepository(api.forge, id)).toEqual([]),
  };
}
type Job = Awaited<ReturnType<typeof startJob>>;
let place: Job;
let client: ArtifactClient;
beforeEach(async () => {
  place = await startJob();
  client = place.client;
});

const download = async (name: string, as = client) => {
  const { json } = await as.call("GetSignedArtifactURL", { name });
  return as.ask("GET", json.signedUrl);
};
const finalize = (name: string, more: object = {}) => client.call("FinalizeArtifact", { name, ...more });
const names = async (more: object = {}) =>
  ((await client.call("ListArtifacts", more)).json.artifacts ?? []).map(({ name }: { name: string }) => name);

describe("an upload of a job (semantics §62.2)", () => {
  it("of one block is listed with its id, and its address gives the same bytes (semantics §62.5-1)", async () => {
    const address = await client.create("logs", { expires_at: "2040-01-01T00:00:00Z" });
    expect(await client.put(address, "&comp=block", "zipped")).toBe(201);
    expect(await names()).toEqual([]);
    const ended = await finalize("logs", { size: 6, hash: `sha256:${sha256("zipped")}` });
    expect([ended.status, ended.json]).toEqual([200, { ok: true, artifactId: expect.any(String) }]);
    const { artifactId } = ended.json;
    const { json } = await client.call("ListArtifacts", { name_filter: "logs" });
    expect(json.artifacts).toEqual([
      {
        ...{ workflowRunBackendId: String(place.run.id), workflowJobRunBackendId: String(place.taskId) },
        ...{ databaseId: artifactId, name: "logs", size: "6", createdAt: expect.any(String) },
        digest: `sha256:${sha256("zipped")}`,
      },
    ]);
    const got = await download("logs");
    expect([got.status, got.text, got.headers.get("content-type")]).toEqual([
      200,
      "zipped",
      "application/zip",
    ]);
    const shown = await api.call("GET", `/repos/olga/${place.name}/actions/artifacts/${artifactId}`, {
      as: owner,
    });
    expect(shown.json).toMatchObject({ name: "logs", size_in_bytes: 6, workflow_run: { id: place.run.id } });
    expect(await place.usage()).toEqual([1, 6]);
    await place.expectWhole();
  });

  it("of blocks in any order is what their list says; a block that is missing is told (semantics §62.5-2)", async () => {
    const address = await client.create("blocks");
    const ids = ["a+b/", "second"].map((id) => Buffer.from(id).toString("base64"));
    const [first = "", second = ""] = ids;
    const block = (id: string) => `&comp=block&blockid=${encodeURIComponent(id)}`;
    expect(await client.put(address, block(second), "World")).toBe(201);
    expect(await client.put(address, block(first), "once")).toBe(201);
    expect(await client.put(address, block(first), "Hello ")).toBe(201);
    expect(await client.order(address, [first, "bWlzc2luZw=="])).toBe(201);
    expect((await finalize("blocks")).json).toMatchObject({ code: "invalid_argument" });
    expect(await client.order(address, [first, first])).toBe(400);
    expect(await client.order(address, ids)).toBe(201);
    expect((await finalize("blocks", { size: "11" })).status).toBe(200);
    expect((await download("blocks")).text).toBe("Hello World");
  });

  it("with a wrong size or hash is not confirmed, and may be ended rightly (semantics §62.5-3)", async () => {
    const address = await client.create("wrong");
    for (const piece of ["one", "two"])
      expect(await client.put(address, "&comp=appendBlock", piece)).toBe(201);
    const tries = [{ size: 7 }, { hash: `sha256:${sha256("x")}` }, { hash: "md5:x" }, { size: -1 }];
    for (const more of tries) expect((await finalize("wrong", more)).status, JSON.stringify(more)).toBe(400);
    expect([await names(), await place.usage()]).toEqual([[], [0, 0]]);
    expect((await client.call("GetSignedArtifactURL", { name: "wrong" })).status).toBe(404);
    expect((await finalize("wrong", { hash: `sha256:${sha256("onetwo")}` })).status).toBe(200);
    expect((await finalize("wrong", { hash: `sha256:${sha256("onetwo")}` })).status).toBe(200);
    expect([await names(), await place.usage()]).toEqual([["wrong"], [1, 6]]);
  });

  it("in one request without comp replaces what came before, however often it comes", async () => {
    const address = await client.create("whole");
    expect(await client.put(address, "&comp=block", "earlier")).toBe(201);
    for (const body of ["cut of", "everything"]) expect(await client.put(address, "", body)).toBe(201);
    expect((await finalize("whole")).status).toBe(200);
    expect((await download("whole")).text).toBe("everything");
  });

  it("of a name that is there takes its place, and its former address leads nowhere", async () => {
    expect((await client.upload("same", "first")).status).toBe(200);
    const former = await client.create("same");
    const address = await client.create("same");
    expect(await names()).toEqual([]);
    expect(await client.put(former, "&comp=block", "late")).toBe(404);
    expect(await client.put(address, "&comp=block", "second!")).toBe(201);
    expect((await finalize("same")).status).toBe(200);
    expect([(await download("same")).text, await place.usage()]).toEqual(["second!", [1, 7]]);
    await place.expectWhole();
  });

  it("sends thirty blocks at once, as the toolkit does, and none is lost", async () => {
    holdTimeStill();
    const address = await client.create("many");
    const ids = Array.from({ length: 30 }, (_, at) => Buffer.from(`block-${at}`).toString("base64"));
    const sent = ids.map((id, at) =>
      client.put(address, `&comp=block&blockid=${encodeURIComponent(id)}`, `${at},`),
    );
    expect(new Set(await Promise.all(sent))).toEqual(new Set([201]));
    expect(await client.order(address, ids)).toBe(201);
    expect((await finalize("many")).status).toBe(200);
    expect((await download("many")).text).toBe(ids.map((_, at) => `${at},`).join(""));
  });

  it("is kept as many whole days as it asks for, at least one", async () => {
    const days = async (name: string, inMs: number) => {
      const expires = new Date(api.clock.now() + inMs).toISOString();
      const address = await client.create(name, { expiresAt: expires });
      await client.put(address, "&comp=block", "x");
      const { json } = await finalize(name);
      const path = `/repos/olga/${place.name}/actions/artifacts/${json.artifactId}`;
      const shown = (await api.call("GET", path, { as: owner })).json;
      return (Date.parse(shown.expires_at) - Date.parse(shown.created_at)) / 86_400_000;
    };
    expect([await days("five", 5 * 86_400_000 - 900), await days("past", -1)]).toEqual([5, 1]);
  });

  it("past the bound of an artifact is refused with words", async () => {
    const address = await client.create("large");
    expect(await client.put(address, "&comp=block&blockid=YQ==", Buffer.alloc(900_000))).toBe(201);
    const { status, text } = await client.ask(
      "PUT",
      `${address}&comp=block&blockid=Yg==`,
      Buffer.alloc(200_000),
    );
    expect([status, text]).toEqual([413, "an artifact may have at most 1 MiB\n"]);
    expect(await client.put(address, "&comp=block&blockid=Yg==", Buffer.alloc(2_000_000))).toBe(413);
  });

  it("may ask where a block goes: here, on one machine", async () => {
    const address = await client.create("announced");
    const { status, json } = await client.ask("PUT", `${address}&comp=announce&blockid=YQ%3D%3D&size=5`);
    expect(status).toBe(200);
    expect(await client.put(json.upload_url, "", "bytes")).toBe(201);
    expect(await client.order(address, ["YQ=="])).toBe(201);
    expect((await finalize("announced")).status).toBe(200);
    expect((await client.ask("PUT", `${address}&comp=announce&size=x`)).status).toBe(400);
  });
});

describe("lists and deletions of a job", () => {
  it("filter by name and by id exactly, and are empty where nothing is", async () => {
    expect((await client.call("ListArtifacts", {})).json).toEqual({});
    const ids = [];
    for (const name of ["a", "ab"]) ids.push((await client.upload(name, name)).json.artifactId);
    expect(await names()).toEqual(["a", "ab"]);
    expect(await names({ nameFilter: "a" })).toEqual(["a"]);
    expect(await names({ id_filter: ids[1] })).toEqual(["ab"]);
    expect(await names({ nameFilter: "a", idFilter: ids[1] })).toEqual([]);
  });

  it("a deleted artifact is gone and uncounted; one that never was is 404", async () => {
    const { artifactId } = (await client.upload("a", "bytes")).json;
    const deleted = await client.call("DeleteArtifact", { name: "a" });
    expect(deleted.json).toEqual({ ok: true, artifactId });
    for (const method of ["DeleteArtifact", "GetSignedArtifactURL", "FinalizeArtifact"]) {
      const { status, json } = await client.call(method, { name: "a" });
      expect([status, json.code], method).toEqual([404, "not_found"]);
    }
    expect(await place.usage()).toEqual([0, 0]);
    await place.expectWhole();
  });

  it("an artifact whose time is over is neither listed nor given out", async () => {
    await client.upload("a", "bytes");
    const [{ id }] = (await api.call("GET", `/repos/olga/${place.name}/actions/artifacts`, { as: owner }))
      .json.artifacts;
    expect(id).toBeGreaterThan(0);
    const expires_at = new Date(api.clock.now() + 86_400_000).toISOString();
    const address = await client.create("short", { expires_at });
    await client.put(address, "&comp=block", "x");
    await finalize("short");
    const token = client.token;
    api.clock.advance(86_400_000 - 1);
    expect(token).toBe(client.token);
    api.clock.advance(2_000);
    // The runtime token's day is over as well; the task's own lasts as long as the task.
    expect((await client.call("ListArtifacts", {})).status).toBe(401);
    const { json } = await place.byTaskToken.call("ListArtifacts", {});
    expect(json.artifacts.map(({ name }: { name: string }) => name)).toEqual(["a"]);
    expect((await place.byTaskToken.call("GetSignedArtifactURL", { name: "short" })).status).toBe(404);
  });
});

describe("who may (semantics §62.1)", () => {
  it("a job that runs, by its runtime token or its own; everybody else is 401, and another run 400 (semantics §62.5-4)", async () => {
    expect((await place.byTaskToken.upload("mine", "x")).status).toBe(200);
    const token = await api.makeToken(owner, ["all"]);
    const [head = "", claims = "", signature = ""] = client.token.split(".");
    const other = JSON.parse(Buffer.from(claims, "base64url").toString("utf8"));
    const forged = Buffer.from(JSON.stringify({ ...other, exp: other.exp + 1 })).toString("base64url");
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url");
    const wrong = [
      "",
      token,
      `${head}.${forged}.${signature}`,
      `${none}.${claims}.`,
      "a.b.c",
      `${"f".repeat(40)}`,
    ];
    for (const one of wrong) expect((await client.call("ListArtifacts", {}, one)).status, one).toBe(401);
    const basic = await client.ask(
      "POST",
      "/twirp/github.actions.results.api.v1.ArtifactService/ListArtifacts",
      "{}",
      {
        authorization: `Basic ${Buffer.from(`x:${client.token}`).toString("base64")}`,
      },
    );
    expect([basic.status, basic.json.code]).toEqual([401, "unauthenticated"]);
    for (const workflow_run_backend_id of [String(place.run.id + 1), "", "x"]) {
      const { status } = await client.call("CreateArtifact", { name: "a", workflow_run_backend_id });
      expect(status).toBe(400);
    }
  });

  it("a job sees the artifacts of its own run alone", async () => {
    await client.upload("mine", "x");
    const other = await startJob();
    expect((await other.client.call("ListArtifacts", {})).json).toEqual({});
    expect((await other.client.call("GetSignedArtifactURL", { name: "mine" })).status).toBe(404);
    expect((await other.client.call("DeleteArtifact", { name: "mine" })).status).toBe(404);
  });

  it("the claims name run and job, as the toolkit reads them", () => {
    const claims = JSON.parse(Buffer.from(client.token.split(".")[1] ?? "", "base64url").toString("utf8"));
    expect(claims).toMatchObject({
      ...{ scp: `Actions.Results:${place.run.id}:${place.taskId}`, RunID: place.run.id },
      ...{ TaskID: Number(place.taskId), JobID: Number(place.taskId) },
    });
    expect(claims.exp - claims.nbf).toBe(86_400);
  });

  it.each(["ends", "is cancelled"])(
    "nobody any more once the job %s, not by an address either",
    async (how) => {
      const address = await client.create("late");
      expect(await client.put(address, "&comp=block", "x")).toBe(201);
      if (how === "ends") await place.end();
      else {
        const run = await findRun(api.forge, place.id, place.run.number);
        if (run !== undefined) await cancelRun(api.forge, run);
      }
      expect(await client.put(address, "&comp=block", "y")).toBe(401);
      for (const one of [client, place.byTaskToken]) {
        expect((await one.call("FinalizeArtifact", { name: "late" })).status).toBe(401);
      }
    },
  );

  it("nobody by an address that is over, changed or of something else", async () => {
    const address = await client.create("a");
    const other = await client.create("b");
    const sig = (url: string) => new URL(url).searchParams.get("sig") ?? "";
    const changed = sig(address).slice(0, -9) + sig(other).slice(-9);
    const path = address.split("?")[0];
    for (const one of [changed, "", "x.y.z"]) {
      expect(await client.put(`${path}?sig=${one}`, "&comp=block", "x"), one).toBe(401);
    }
    api.clock.advance(3_600_001);
    expect(await client.put(address, "&comp=block", "x")).toBe(401);
  });
});

describe("input that is none", () => {
  it("is refused with words, in the form that its client reads", async () => {
    for (const name of ["", "a/b", "x".repeat(256), "a\u0000b", undefined]) {
      const { status, json } = await client.call("CreateArtifact", { name });
      expect([status, json.code], String(name)).toEqual([400, "invalid_argument"]);
    }
    const raw = (path: string, method: string, body?: string) =>
      client.ask(method, `/twirp/github.actions.results.api.v1.ArtifactService/${path}`, body, {
        authorization: `Bearer ${client.token}`,
      });
    for (const body of ["", "[]", "{", "null", '{"name": 5}', "x".repeat(20_000)]) {
      expect([400, 413], body).toContain((await raw("CreateArtifact", "POST", body)).status);
    }
    expect((await raw("Nothing", "POST", "{}")).status).toBe(404);
    expect((await raw("constructor", "POST", "{}")).status).toBe(404);
    expect((await raw("CreateArtifact", "GET")).status).toBe(405);
    expect((await raw("UploadArtifact", "GET")).status).toBe(405);
    const address = await client.create("a");
    for (const comp of ["other", "", "__proto__", "constructor", "toString", "hasOwnProperty"])
      expect(await client.put(address, `&comp=${comp}`, "x"), comp).toBe(400);
    const lists = [
      "",
      "<BlockList>",
      "<BlockList><Latest>a</Latest>x</BlockList>",
      `<BlockList>${" ".repeat(900_000)}`,
    ];
    for (const list of lists) expect(await client.put(address, "&comp=blocklist", list)).toBe(400);
    expect((await finalize("a")).status).toBe(400);
  });
});
