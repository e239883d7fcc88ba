import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Validator } from "@seriousme/openapi-schema-validator";
import { handle } from "hono/aws-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { statusOf } from "#functions/http/answer/problems";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { startEdge } from "#tests/support/edge/edge";
import { ask as askEdge } from "../infra/edge/ask.ts";

let api: TestApi;
let owner: Caller;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "owner" });
});
afterAll(() => api.stop());

const get = (path: string, init: RequestInit = {}) => api.app.request(path, init);
const read = async (path: string): Promise<JsonValue> => JSON.parse(await (await get(path)).text());

describe("what says how the API is used (D-DOCUMENT)", () => {
  it("is a Swagger 2 document at /swagger.v1.json, valid and with every operation", async () => {
    const swagger = await read("/swagger.v1.json");
    const document = await read("/api/v1/openapi.json");
    const validator = new Validator();
    expect(await validator.validate(structuredClone(swagger))).toEqual({ valid: true });
    expect(validator.version).toBe("2.0");
    const operations = (of: { paths: object }) =>
      Object.entries(of.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((name) => `${name} ${path}`),
      );
    expect(operations(swagger)).toEqual(operations(document));
    expect(swagger.basePath).toBe("/api/v1");
    expect(swagger.definitions.Issue.properties.closed_at).toEqual({ type: "string", format: "date-time" });
    expect(swagger.paths["/user/repos"].post.parameters).toContainEqual(
      expect.objectContaining({
        in: "body",
        required: true,
        schema: { $ref: "#/definitions/CreateRepoOption" },
      }),
    );
  });

  it("lists plain text beside JSON wherever JSON is read, and alone where text is (GEN-2, D-TEXTPLAIN)", async () => {
    const { paths } = await read("/swagger.v1.json");
    const bodies = Object.values<JsonValue>(paths).flatMap((methods) =>
      Object.values<JsonValue>(methods).flatMap(({ operationId, consumes }) =>
        consumes === undefined || consumes.includes("multipart/form-data") ? [] : [[operationId, consumes]],
      ),
    );
    const ofText = bodies.filter(([, types]) => !types.includes("application/json"));
    expect(ofText.map(([id]) => id)).toEqual(["renderMarkdownRaw", "repoRenderMarkdownRaw"]);
    for (const [id, types] of bodies) expect(types, id).toContain("text/plain");
    const html = Object.values<JsonValue>((await read("/api/v1/openapi.json")).paths).flatMap((methods) =>
      Object.values<JsonValue>(methods).filter(({ responses }) => responses[200]?.content?.["text/html"]),
    );
    expect(
      html.map(({ operationId }) => operationId).filter((id) => !/ender(Markdown|Markup)/.test(id)),
    ).toEqual([]);
  });

  it("notes the names that the service document gives to parameters where these have others (OPX-pathNames, D-PARAMS)", async () => {
    const issues = "/repos/{owner}/{repo}/issues";
    const given = [
      ["get", "/repos/{owner}/{repo}/archive/{filepath}", "path", "filepath", "archive"],
      ["get", `${issues}/comments`, "query", "since", "string"],
      ["get", `${issues}/{index}/comments`, "path", "index", "id"],
      ["get", `${issues}/{index}/comments`, "query", "since", "string"],
      ["get", `${issues}/{index}/times`, "path", "index", "repo"],
      ["post", `${issues}/{index}/comments`, "path", "index", "id"],
      ["post", `${issues}/{index}/times`, "path", "index", "id"],
    ];
    for (const document of ["/api/v1/openapi.json", "/swagger.v1.json"]) {
      const { paths } = await read(document);
      const noted = Object.entries<JsonValue>(paths).flatMap(([path, methods]) =>
        Object.entries<JsonValue>(methods).flatMap(([method, { parameters = [] }]) =>
          parameters
            .filter((one: JsonValue) => "x-original-name" in one)
            .map((one: JsonValue) => [method, path, one.in, one.name, one["x-original-name"]]),
        ),
      );
      expect(noted.sort(), document).toEqual(given);
    }
  });

  it("tells ids of the family that differ from ours, and names every id that may be a name (D-OPIDS, D-IDS)", async () => {
    const labels = "/repos/{owner}/{repo}/labels/{id}";
    const milestones = "/repos/{owner}/{repo}/milestones/{id}";
    const ofIssue = "/repos/{owner}/{repo}/issues/{index}/labels/{id}";
    for (const document of ["/api/v1/openapi.json", "/swagger.v1.json"]) {
      const { paths } = await read(document);
      const all = Object.entries<JsonValue>(paths).flatMap(([path, methods]) =>
        Object.entries<JsonValue>(methods).map(([method, one]) => ({ ...one, path, method })),
      );
      expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
      const noted = all.filter((one) => one["x-original-name"] !== undefined);
      const rows = noted.map((one) => [one.method, one.path, one.operationId, one["x-original-name"]]);
      expect(rows.sort()).toEqual([
        ["delete", "/packages/{owner}/{type}/{name}", "deleteWholePackage", "deletePackage"],
        ["delete", "/packages/{owner}/{type}/{name}/{version}", "deletePackage", "deletePackageVersion"],
        ["delete", "/user/blocks/{username}", "userRemoveBlock", "userUnblockUser"],
        [
          "get",
          "/admin/actions/runners/registration-token",
          "adminGetActionsRunnerRegistrationToken",
          "adminGetRunnerRegistrationToken",
        ],
        [
          "get",
          "/repos/{owner}/{repo}/commits/{ref}/status",
          "repoGetCombinedStatus",
          "repoGetCombinedStatusByRef",
        ],
        [
          "get",
          "/repos/{owner}/{repo}/commits/{ref}/statuses",
          "repoGetCombinedStatusByRef",
          "repoListStatusesByRef",
        ],
        ["get", "/repos/{owner}/{repo}/milestones", "issueGetMilestones", "issueGetMilestonesList"],
        ["patch", "/repos/{owner}/{repo}/branches/{branch}", "repoUpdateBranch", "repoRenameBranch"],
        [
          "post",
          "/admin/runners/registration-token",
          "adminPostRunnerRegistrationToken",
          "adminCreateRunnerRegistrationToken",
        ],
        ["post", "/org/{org}/repos", "createOrgRepo", "createOrgRepoDeprecated"],
        ["post", "/orgs/{org}/repos", "createOrgRepoCurrent", "createOrgRepo"],
        ["put", "/repos/{owner}/{repo}/branches/{branch}", "repoUpdateBranchReference", "repoUpdateBranch"],
        ["put", "/user/blocks/{username}", "userAddBlock", "userBlockUser"],
      ]);
      for (const path of [labels, milestones, ofIssue, "/orgs/{org}/labels/{id}"]) {
        for (const { parameters } of Object.values<JsonValue>(paths[path])) {
          const id = parameters.find(({ name }: JsonValue) => name === "id");
          expect(id).toMatchObject({
            in: "path",
            required: true,
            description: expect.stringContaining("a name is accepted"),
          });
          // The family's milestones are called by texts in Swagger 2.
          const isText = path === milestones && id.schema === undefined;
          expect(id.type ?? id.schema.type).toBe(isText ? "string" : "integer");
        }
      }
    }
  });

  it("is a page that every refusal's url leads to", async () => {
    const refusal = await api.call("GET", "/repos/nobody/nothing");
    const response = await get(new URL(refusal.json.url).pathname);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html;charset=utf-8"]);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    const etag = response.headers.get("etag") ?? "";
    const again = await get("/api/swagger", { headers: { "if-none-match": etag } });
    expect([again.status, again.headers.get("content-security-policy")]).toEqual([304, policy]);
    const html = await response.text();
    expect(html).toContain("/repos/{owner}/{repo}/issues");
    for (const status of Object.values(statusOf))
      expect(html).toContain(`<tr><td><code>${status}</code><td>`);
    expect(html.replace(/<script>.*<\/script>/s, "")).not.toMatch(/undefined|\[object/);
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target = ""] of html.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
    // A function of the deployed API answers at most 4.4 MB.
    expect(Buffer.byteLength(html)).toBeLessThan(1_500_000);
    expect((await get("/api/v1")).headers.get("location")).toBe(refusal.json.url);
  });

  it.each(["/api/v1/openapi.json", "/swagger.v1.json", "/api/swagger"])(
    "%s comes in the form that its reader likes best, each with an ETag of its own",
    async (path) => {
      const ask = (accepted: string, more: Record<string, string> = {}) =>
        get(path, { headers: { "accept-encoding": accepted, ...more } });
      const plain = await get(path);
      const text = await plain.text();
      const etags = new Set([plain.headers.get("etag")]);
      expect(plain.headers.get("content-encoding")).toBeNull();
      for (const [accepted, encoding, unpack] of [
        ["gzip", "gzip", gunzipSync],
        ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
      ] as const) {
        const response = await ask(accepted);
        const sent = Buffer.from(await response.arrayBuffer());
        const { headers } = response;
        expect([response.status, headers.get("content-encoding")]).toEqual([200, encoding]);
        expect(headers.get("content-length")).toBe(String(sent.length));
        expect(sent.length).toBeLessThan(text.length / 5);
        expect(unpack(sent).toString() === text, "the same text").toBe(true);
        const etag = headers.get("etag") ?? "";
        etags.add(etag);
        const again = await ask(accepted, { "if-none-match": etag });
        expect([again.status, again.headers.get("etag")]).toEqual([304, etag]);
        expect(again.headers.get("content-encoding")).toBeNull();
        for (const one of [response, again, plain])
          expect(one.headers.get("vary")).toContain("Accept-Encoding");
        expect((await get(path, { headers: { "if-none-match": etag } })).status, "another form").toBe(200);
      }
      expect(etags.size).toBe(3);
    },
  );

  it("a document that is sent compressed passes the deployed API's gateway", async () => {
    const edge = await startEdge({
      api: handle(api.app),
      git: () => {
        throw new Error("git was asked");
      },
    });
    const headers = { "accept-encoding": "gzip" };
    const { status, headers: sent, body } = await askEdge(edge.url, { path: "/swagger.v1.json", headers });
    await edge.stop();
    expect([status, sent["content-encoding"]]).toEqual([200, "gzip"]);
    expect(JSON.parse(gunzipSync(body).toString()).swagger).toBe("2.0");
  });

  it.each(["/api/v1/openapi.json", "/swagger.v1.json", "/api/swagger"])(
    "405: %s answers GET and HEAD alone",
    async (path) => {
      const head = await get(path, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
      const post = await get(path, { method: "POST" });
      expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
      expect(post.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  it("says what may be null, what must be sent, and what refuses", async () => {
    const { components, paths } = await read("/api/v1/openapi.json");
    const orNull = (name: string) => ({
      anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: "null" }],
    });
    expect(components.schemas.Issue.properties).toMatchObject({
      assignee: orNull("User"),
      milestone: orNull("Milestone"),
      pull_request: orNull("PullRequestMeta"),
    });
    const whole = Object.values(components.schemas).map((schema) => (schema as { type: unknown }).type);
    expect(whole).not.toContainEqual(expect.arrayContaining(["null"]));
    const { post, get: list } = paths["/repos/{owner}/{repo}/issues"];
    expect(post.requestBody.required).toBe(true);
    expect(Object.keys(post.responses)).toEqual(
      expect.arrayContaining(["401", "403", "404", "413", "415", "422", "429"]),
    );
    expect(Object.keys(list.responses["200"].headers)).toEqual([
      "X-Total-Count",
      "Link",
      "X-Total-Count-Exact",
    ]);
    expect(paths["/repos/search"].get.responses["422"].$ref).toBe("#/components/responses/searchError");
  });
});

describe("refusals", () => {
  it("repoSearch 422: {ok: false, error} beside message and url, whatever is wrong (semantics §1.4, OP-repoSearch)", async () => {
    const word = expect.stringMatching(/mode|sort|Uid/);
    for (const query of ["mode=odd", "sort=odd", "uid=odd"]) {
      const { status, json } = await api.call("GET", `/repos/search?${query}`);
      const body = { ok: false, error: word, message: word, url: expect.stringMatching(/\/api\/swagger$/) };
      expect([status, json]).toEqual([422, body]);
    }
  });

  it("403 of an account that may do nothing comes without url (semantics §1.4)", async () => {
    const gone = await api.makeUser({ mustChangePassword: true });
    const { status, json } = await api.call("GET", "/user", { as: gone });
    expect([status, json]).toEqual([403, { message: expect.stringContaining("password") }]);
  });

  it("repoGetByID: 200 anonymous for what is public, 404 for what is private", async () => {
    const made = await api.call("POST", "/user/repos", { as: owner, body: { name: "open" } });
    const hidden = await api.call("POST", "/user/repos", {
      as: owner,
      body: { name: "shut", private: true },
    });
    expect((await api.call("GET", `/repositories/${made.json.id}`)).status).toBe(200);
    expect((await api.call("GET", `/repositories/${hidden.json.id}`)).status).toBe(404);
  });
});

describe("ENABLE_SWAGGER=false", () => {
  it("404: none of the documents is there, and the API works on", async () => {
    const plain = await makeApi({ settings: { ENABLE_SWAGGER: "false" } });
    for (const path of ["/swagger.v1.json", "/api/v1/openapi.json", "/api/swagger", "/api/v1/swagger"]) {
      expect((await plain.app.request(path)).status).toBe(404);
    }
    expect((await plain.call("GET", "/version")).status).toBe(200);
    const welcome = await createGitApp({
      forge: plain.forge,
      resolve: createGitResolver(plain.forge),
    }).request("/");
    expect(await welcome.text()).not.toMatch(/swagger|openapi/);
    await plain.stop();
  });
});
