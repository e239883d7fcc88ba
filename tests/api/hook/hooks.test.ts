import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let owner: Caller;
let made = 0;
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser();
});
afterAll(() => api.stop());

/** A new repository's hooks, as a path. */
async function makeRepository(body: object = {}): Promise<string> {
  made += 1;
  const name = `repository-${made}`;
  const answer = await api.call("POST", "/user/repos", { as: owner, body: { name, ...body } });
  expect(answer.status).toBe(201);
  return `/repos/${owner.name}/${name}/hooks`;
}

const config = { url: "https://ci.example/hook", content_type: "json" };
const create = (path: string, body: object) => api.call("POST", path, { as: owner, body });

describe("repoCreateHook", () => {
  it("201: an inactive hook for pushes unless told otherwise (RES-Hook, EV-1, semantics §27.10-1)", async () => {
    const { status, json, headers } = await create(await makeRepository(), { type: "gitea", config });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(Number),
      type: "gitea",
      url: config.url,
      content_type: "json",
      config,
      events: ["push"],
      branch_filter: "",
      authorization_header: "",
      metadata: null,
      active: false,
      created_at: "2030-01-02T03:04:05Z",
      updated_at: "2030-01-02T03:04:05Z",
    });
    expect(headers.get("warning")).toBeNull();
  });

  it("201: shows everything but the secret, and lets nobody keep the answer (D-CACHE)", async () => {
    const { status, json, text, headers } = await create(await makeRepository(), {
      type: "slack",
      config: { ...config, content_type: "form", secret: "open sesame", channel: "#dev", unknown: "x" },
      events: ["issues_only", "pull_request_review", "no-such-event"],
      branch_filter: "{main,release/*}",
      authorization_header: "Bearer abc",
      active: true,
      is_system_webhook: true,
      name: "ignored",
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      config: { url: config.url, content_type: "form", channel: "#dev" },
      events: [
        "issues",
        "pull_request_review_approved",
        "pull_request_review_rejected",
        "pull_request_review_comment",
      ],
      branch_filter: "{main,release/*}",
      authorization_header: "Bearer abc",
      metadata: { channel: "#dev" },
      active: true,
    });
    expect(text).not.toContain("sesame");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it.each([
    ["Type", { config }],
    ["Type", { type: "mattermost", config }],
    ["Config", { type: "gitea" }],
    ["Config", { type: "gitea", config: { content_type: "json" } }],
    ["Config", { type: "gitea", config: { url: config.url } }],
    ["Config", { type: "gitea", config: { url: "not a url", content_type: "json" } }],
    ["Config", { type: "gitea", config: { url: config.url, content_type: "xml" } }],
    ["Config", { type: "gitea", config: { ...config, secret: 1 } }],
    ["Config", { type: "slack", config }],
    ["BranchFilter", { type: "gitea", config, branch_filter: "[a" }],
    ["Events", { type: "gitea", config, events: "push" }],
    ["Active", { type: "gitea", config, active: "yes" }],
  ])("422 naming %s for %j (27.10-10)", async (field, body) => {
    const path = await makeRepository();
    const { status, json } = await create(path, body);
    expect([status, json.message]).toEqual([422, expect.stringContaining(field)]);
    expect((await api.call("GET", path, { as: owner })).json).toEqual([]);
  });

  it("201 with a warning that names WEBHOOK_ALLOWED_HOST_LIST when the target is bound to be refused", async () => {
    const path = await makeRepository();
    for (const host of ["127.0.0.1:8080", "localhost", "[::1]", "10.0.0.7"]) {
      const body = { type: "gitea", config: { ...config, url: `http://${host}/hook` } };
      const { status, headers } = await create(path, body);
      expect(status).toBe(201);
      expect(headers.get("warning")).toContain("WEBHOOK_ALLOWED_HOST_LIST");
    }
  });
});

describe("repoListHooks", () => {
  it("200: pages of the repository's hooks, with their number", async () => {
    const path = await makeRepository();
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1)
      ids.push((await create(path, { type: "gitea", config })).json.id ?? 0);
    const { status, json, headers } = await api.call("GET", `${path}?limit=2&page=2`, { as: owner });
    expect([status, json.map(({ id }: JsonValue) => id)]).toEqual([200, ids.slice(2)]);
    expect([headers.get("x-total-count"), headers.get("link")]).toEqual([
      "3",
      expect.stringMatching(/rel="prev"$/),
    ]);
    expect((await api.call("GET", path, { as: owner })).json.map(({ id }: JsonValue) => id)).toEqual(ids);
  });
});

describe("repoGetHook", () => {
  it("200: the hook as it was made; 404 for one of another repository, and for none", async () => {
    const [path, other] = [await makeRepository(), await makeRepository()];
    const { json } = await create(path, { type: "gitea", config });
    const found = await api.call("GET", `${path}/${json.id}`, { as: owner });
    expect([found.status, found.json]).toEqual([200, json]);
    expect((await api.call("GET", `${other}/${json.id}`, { as: owner })).status).toBe(404);
    expect((await api.call("GET", `${path}/999999`, { as: owner })).status).toBe(404);
  });
});

describe("repoDeleteHook", () => {
  it("204 without a body, then 404; 404 for a hook of another repository, which stays", async () => {
    const [path, other] = [await makeRepository(), await makeRepository()];
    const { json } = await create(path, { type: "gitea", config });
    const status = async (method: string, from: string) =>
      (await api.call(method, `${from}/${json.id}`, { as: owner })).status;
    expect(await status("DELETE", other)).toBe(404);
    expect(await status("GET", path)).toBe(200);
    const removed = await api.call("DELETE", `${path}/${json.id}`, { as: owner });
    expect([removed.status, removed.text]).toEqual([204, ""]);
    expect([await status("GET", path), await status("DELETE", path)]).toEqual([404, 404]);
  });
});

describe("repoEditHook", () => {
  it("200: replaces what is given and leaves the rest", async () => {
    const path = await makeRepository();
    const full = {
      type: "gitea",
      config,
      events: ["issues_only"],
      branch_filter: "main",
      authorization_header: "x",
    };
    const { json: before } = await create(path, full);
    const hook = `${path}/${before.id}`;
    expect((await api.call("PATCH", hook, { as: owner, body: {} })).json).toEqual(before);
    const body = { config: { content_type: "form", secret: "new" }, active: true, events: ["create"] };
    const { status, json } = await api.call("PATCH", hook, { as: owner, body });
    expect(status).toBe(200);
    expect(json).toEqual({
      ...before,
      content_type: "form",
      config: { ...config, content_type: "form" },
      events: ["create"],
      active: true,
    });
  });

  it("422 for what create refuses, 404 for no such hook", async () => {
    const path = await makeRepository();
    const { json } = await create(path, { type: "gitea", config });
    const edit = (id: unknown, body: object) => api.call("PATCH", `${path}/${id}`, { as: owner, body });
    expect((await edit(json.id, { config: { url: "" } })).status).toBe(422);
    expect((await edit(json.id, { branch_filter: "{" })).status).toBe(422);
    expect((await edit(999_999, {})).status).toBe(404);
  });
});

describe("repoTestHook", () => {
  it("204: nothing to send from an empty repository; 404 for no such hook", async () => {
    const path = await makeRepository();
    const { json } = await create(path, { type: "gitea", config });
    expect((await api.call("POST", `${path}/${json.id}/tests`, { as: owner })).status).toBe(204);
    expect((await api.call("POST", `${path}/999999/tests`, { as: owner })).status).toBe(404);
  });

  it("204 for the default branch or a ref by any name, 404 for an unknown one; warns of a target not permitted", async () => {
    const path = await makeRepository({ auto_init: true });
    const local = { ...config, url: "http://127.0.0.1/" };
    const { json } = await create(path, { type: "gitea", config: local, active: true });
    for (const query of ["", "?ref=main", "?ref=refs/heads/main"]) {
      const { status, text, headers } = await api.call("POST", `${path}/${json.id}/tests${query}`, {
        as: owner,
      });
      expect([status, text]).toEqual([204, ""]);
      expect(headers.get("warning")).toContain("add loopback to WEBHOOK_ALLOWED_HOST_LIST");
    }
    expect((await api.call("POST", `${path}/${json.id}/tests?ref=nope`, { as: owner })).status).toBe(404);
  });
});

describe("hooks and rights", () => {
  it("403 for those who may only read, 401 for nobody, 404 where the repository is hidden", async () => {
    const [path, hidden] = [await makeRepository(), await makeRepository({ private: true })];
    const reader = await api.makeUser();
    expect((await api.call("GET", path, { as: reader })).status).toBe(403);
    expect((await api.call("POST", path, { as: reader, body: {} })).status).toBe(403);
    expect((await api.call("GET", path)).status).toBe(401);
    expect((await api.call("GET", hidden, { as: reader })).status).toBe(404);
    expect((await api.call("GET", hidden)).status).toBe(404);
  });

  it("403 on every route while DISABLE_WEBHOOKS is set, whatever the body (semantics §1.7, §27.1)", async () => {
    const off = await makeApi({ settings: { DISABLE_WEBHOOKS: "true" } });
    try {
      const user = await off.makeUser();
      await off.call("POST", "/user/repos", { as: user, body: { name: "r" } });
      const path = `/repos/${user.name}/r/hooks`;
      const calls = [
        off.call("GET", path, { as: user }),
        off.call("POST", path, { as: user, body: { type: "gitea", config } }),
        off.call("POST", path, { as: user, body: {} }),
        off.call("PATCH", `${path}/1`, { as: user, body: { events: "push" } }),
        off.call("GET", `${path}/1`, { as: user }),
        off.call("PATCH", `${path}/1`, { as: user, body: {} }),
        off.call("DELETE", `${path}/1`, { as: user }),
        off.call("POST", `${path}/1/tests`, { as: user }),
      ];
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(8).fill(403));
    } finally {
      await off.stop();
    }
  });
});
