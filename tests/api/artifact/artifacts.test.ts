import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tick } from "#functions/workers/tick";
import { finishJobs } from "#tests/support/jobs";
import { type ArtifactWorld, startArtifacts } from "./world.ts";

let world: ArtifactWorld;
beforeAll(async () => {
  world = await startArtifacts();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const status = async (method: string, path: string, as = world.owner) =>
  (await world.call(method, path, undefined, as)).status;
const names = ({ artifacts }: { artifacts: { name: string }[] }) => artifacts.map(({ name }) => name);

describe("getArtifacts, getArtifactsOfRun", () => {
  it("200: the newest first, by name, by run, by page, with the number of all (semantics §63.3)", async () => {
    for (const name of ["a", "b", "c"]) await world.make(name, { runId: 7 });
    await world.make("a", { runId: 8 });
    await world.open(8, "pending");
    const all = await world.call("GET", "actions/artifacts");
    expect([names(all.json), all.json.total_count]).toEqual([["a", "c", "b", "a"], 4]);
    const page = await world.call("GET", "actions/artifacts?limit=2&page=2");
    expect([names(page.json), page.json.total_count]).toEqual([["b", "a"], 4]);
    expect(page.headers.get("x-total-count")).toBe("4");
    expect(page.headers.get("link")).toContain('rel="first"');
    const named = await world.call("GET", "actions/artifacts?name=a");
    expect([names(named.json), named.json.total_count]).toEqual([["a", "a"], 2]);
    expect(names((await world.call("GET", "actions/artifacts?name=A")).json)).toEqual([]);
    const ofRun = await world.call("GET", "actions/runs/7/artifacts?limit=2");
    expect([names(ofRun.json), ofRun.json.total_count]).toEqual([["c", "b"], 3]);
    expect(names((await world.call("GET", "actions/runs/7/artifacts?name=b")).json)).toEqual(["b"]);
    expect((await world.call("GET", "actions/runs/99/artifacts")).json).toEqual({
      artifacts: [],
      total_count: 0,
    });
  });

  it("200: anybody of a public repository; 404: strangers of a private one; 403: without the unit (D-HIDDEN)", async () => {
    await world.letWrite();
    const { id } = await world.make("a");
    const paths = ["artifacts", "runs/1/artifacts", `artifacts/${id}`, `artifacts/${id}/zip`];
    const asked = async (as: typeof world.owner | undefined) =>
      Promise.all(
        paths.map(async (path) => {
          const address = `/repos/olga/${world.name}/actions/${path}`;
          return (await world.api.call("GET", address, { as })).status;
        }),
      );
    expect(await asked(undefined)).toEqual([200, 200, 200, 302]);
    await world.call("PATCH", "", { private: true });
    expect(await asked(undefined)).toEqual([404, 404, 404, 404]);
    expect(await asked(world.reader)).toEqual([404, 404, 404, 404]);
    expect(await asked(world.writer)).toEqual([200, 200, 200, 302]);
    await world.call("PATCH", "", { has_actions: false });
    expect(await asked(world.owner)).toEqual([403, 403, 403, 403]);
  });
});

describe("getArtifact", () => {
  it("200: its fields; 404: unknown, of another repository, no number", async () => {
    const { id } = await world.make("logs", { runId: 7 });
    const url = `http://127.0.0.1:3000/api/v1/repos/olga/${world.name}/actions/artifacts/${id}`;
    const { json } = await world.call("GET", `actions/artifacts/${id}`);
    expect(json).toEqual({
      ...{ id, name: "logs", size_in_bytes: 6, url, archive_download_url: `${url}/zip`, expired: false },
      workflow_run: { id: 7, repository_id: world.id },
      ...{ created_at: expect.any(String), updated_at: expect.any(String), expires_at: expect.any(String) },
    });
    expect(Date.parse(json.expires_at) - Date.parse(json.created_at)).toBe(90 * 86_400_000);
    expect(await status("GET", `actions/artifacts/${id + 1}`)).toBe(404);
    expect(await status("GET", "actions/artifacts/7")).toBe(404);
    expect(await status("GET", "actions/artifacts/logs")).toBe(404);
    await world.begin();
    expect(await status("GET", `actions/artifacts/${id}`)).toBe(404);
  });
});

describe("downloadArtifact, downloadArtifactFile", () => {
  it("302, then the bytes without credentials, whole and in ranges, for an hour (semantics §63.5-6)", async () => {
    const { id } = await world.make("logs ü", { bytes: "0123456789" });
    await world.call("PATCH", "", { private: true });
    const { status: found, headers } = await world.call("GET", `actions/artifacts/${id}/zip`);
    expect([found, headers.get("cache-control")]).toEqual([302, "no-store"]);
    const location = headers.get("location") ?? "";
    const whole = await world.ask(location);
    expect([whole.status, whole.text, whole.headers.get("content-type")]).toEqual([
      ...[200, "0123456789", "application/zip"],
    ]);
    expect(whole.headers.get("content-disposition")).toContain("filename*=UTF-8''logs%20%C3%BC.zip");
    const part = await world.ask(location, { headers: { range: "bytes=2-4" } });
    expect([part.status, part.text, part.headers.get("content-range")]).toEqual([206, "234", "bytes 2-4/10"]);
    expect((await world.ask(location, { headers: { range: "bytes=10-" } })).status).toBe(416);
    const etag = whole.headers.get("etag") ?? "";
    expect((await world.ask(location, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect(await status("HEAD", `actions/artifacts/${id}/zip`)).toBe(302);
    expect((await world.ask(`${location}x`)).status).toBe(404);
    world.api.clock.advance(3_601_000);
    expect((await world.ask(location)).status).toBe(404);
    expect(await world.bytes(id)).toBe("0123456789");
  });

  it("404: the address of what was deleted, uploaded anew, or is in a deleted repository", async () => {
    const addressOf = async (name: string) => {
      const { id } = await world.make(name);
      const { headers } = await world.call("GET", `actions/artifacts/${id}/zip`);
      return { id, address: headers.get("location") ?? "" };
    };
    const [deleted, renewed, kept] = [await addressOf("a"), await addressOf("b"), await addressOf("c")];
    await world.call("DELETE", `actions/artifacts/${deleted.id}`);
    await world.open(1, "b");
    expect((await world.ask(deleted.address)).status).toBe(404);
    expect((await world.ask(renewed.address)).status).toBe(404);
    expect((await world.ask(kept.address)).status).toBe(200);
    await world.call("DELETE", "");
    expect((await world.ask(kept.address)).status).toBe(404);
  });
});

describe("REQUIRE_SIGNIN_VIEW and artifacts (semantics §2.3)", () => {
  it("downloadArtifact 403: anonymous callers; downloadArtifactFile 200: its address is the credential", async () => {
    const closed = await startArtifacts({ REQUIRE_SIGNIN_VIEW: "true" });
    await closed.begin();
    const { id } = await closed.make("a");
    const path = `/repos/olga/${closed.name}/actions/artifacts/${id}/zip`;
    expect((await closed.api.call("GET", path)).status).toBe(403);
    expect(await closed.bytes(id)).toBe("zipped");
    await closed.api.stop();
  });
});

describe("deleteArtifact", () => {
  it("204: gone at once for readers and sums, its file two hours later, in an archive too; 404: again; 403: a reader; 401: nobody", async () => {
    await world.letWrite();
    const { id } = await world.make("a");
    const path = `actions/artifacts/${id}`;
    expect(await status("DELETE", path, world.reader)).toBe(403);
    expect((await world.api.call("DELETE", `/repos/olga/${world.name}/${path}`)).status).toBe(401);
    await world.call("PATCH", "", { archived: true });
    expect(await status("DELETE", path, world.writer)).toBe(204);
    expect([await status("GET", path), await status("DELETE", path)]).toEqual([404, 404]);
    expect([await world.usage(), await world.left()]).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect((await world.call("GET", "actions/artifacts")).json.total_count).toBe(0);
    world.api.clock.advance(3 * 3_600_000);
    await tick(world.api.forge);
    expect(await world.left()).toEqual([0, 0]);
    await world.expectWhole();
  });
});

describe("artifacts of a repository", () => {
  it("go with it to another owner and name, with their bytes; a fork has none of them", async () => {
    const { id } = await world.make("a");
    await world.call("PATCH", "", { name: `${world.name}-renamed` });
    world.name = `${world.name}-renamed`;
    const body = { new_owner: world.writer.name };
    await world.call("POST", "transfer", body);
    await world.api.call("POST", `/repos/olga/${world.name}/transfer/accept`, { as: world.writer });
    const path = `/repos/wim/${world.name}`;
    const { json } = await world.api.call("GET", `${path}/actions/artifacts/${id}`, { as: world.writer });
    expect(json.url).toContain(`${path}/actions/artifacts/${id}`);
    expect([await world.usage(), await world.usage(world.writer.user.id)]).toEqual([
      [0, 0],
      [1, 6],
    ]);
    await world.expectWhole();
    await world.api.call("POST", `${path}/forks`, { as: world.reader, body: {} });
    const fork = `/repos/rita/${world.name}`;
    await world.api.call("PATCH", fork, { as: world.reader, body: { has_actions: true } });
    const forked = await world.api.call("GET", `${fork}/actions/artifacts`, { as: world.reader });
    expect(forked.json).toEqual({ artifacts: [], total_count: 0 });
    expect(
      (await world.api.call("DELETE", `${path}/actions/artifacts/${id}`, { as: world.writer })).status,
    ).toBe(204);
    expect(await world.usage(world.writer.user.id)).toEqual([0, 0]);
    await world.expectWhole();
  });

  it("end with it: items, pieces and objects", async () => {
    await world.make("a");
    await world.add(await world.open(2, "pending"), "appended", "piece");
    await world.call("DELETE", "");
    world.api.clock.advance(8 * 86_400_000);
    await finishJobs(world.api);
    expect(await world.left()).toEqual([0, 0]);
    world.api.clock.advance(100 * 86_400_000);
    expect((await tick(world.api.forge)).sweep_artifacts).toBeGreaterThan(0);
  });
});
