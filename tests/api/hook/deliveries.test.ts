import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDelivery, type KeptPayload, keepPayload } from "#core/hook/delivery";
import { getHook } from "#core/hook/hook";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { webhookWorker } from "#functions/workers/webhooks";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { type Receiver, startReceiver } from "#tests/support/servers/receiver";
import { makeOrganization } from "../organization/make.ts";

let api: TestApi;
let receiver: Receiver;
let owner: Caller;
let reader: Caller;
let boss: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: { WEBHOOK_ALLOWED_HOST_LIST: "loopback" } });
  receiver = await startReceiver();
  receiver.answer = (response) => response.writeHead(202, { "X-Seen": "yes" }).end("thanks");
  owner = await api.makeUser({ name: "olga" });
  reader = await api.makeUser({ name: "rita" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, owner, "acme");
  for (const path of ["/user/repos", "/orgs/acme/repos"]) {
    await api.call("POST", path, { as: owner, body: { name: "hello", auto_init: true } });
  }
});
afterAll(async () => {
  await receiver.close();
  await api.stop();
});

async function deliver(): Promise<void> {
  for (let done = 1; done > 0; ) {
    ({ done } = await api.queues.drain("repository-events", (one) => repositoryEventsWorker(api.forge, one)));
    done += (await api.queues.drain("webhooks", (one) => webhookWorker(api.forge, one))).done;
  }
}

/** An active hook with credentials of all kinds, which may hear of a new label of an issue. */
async function makeHook(path: string, as: Caller, config: object = {}): Promise<JsonValue> {
  const url = `${receiver.url.replace("//", "//robot:hunter2@")}?token=swordfish`;
  const body = {
    ...{ type: "gitea", active: true, events: ["issues"], authorization_header: "Bearer abc" },
    config: { url, content_type: "json", secret: "open sesame", ...config },
  };
  const { status, json } = await api.call("POST", path, { as, body });
  expect(status).toBe(201);
  return json;
}
const openIssue = async (repository: string) => {
  await api.call("POST", `/repos/${repository}/issues`, { as: owner, body: { title: "T" } });
  await deliver();
};
let made = 0;
/** A delivery to a hook of the user's repository that nobody sends. */
async function makeDelivery(hookId: number, payload: KeptPayload): Promise<void> {
  const { id } = (await api.call("GET", "/repos/olga/hello", { as: owner })).json;
  const hook = await getHook(api.forge, { kind: "repository", id }, hookId);
  made += 1;
  const createdAt = api.forge.clock.now() + made;
  const given = { eventId: `event ${made}`, what: "", eventType: "issues", payload, createdAt } as const;
  await createDelivery(api.forge, hook, given);
}
const secrets = /hunter2|swordfish|Bearer abc|sesame/;

/** Every level of hooks: who sees its deliveries, and whom else it knows. */
const places = [
  {
    operations: ["repoListHookDeliveries", "repoGetHookDelivery", "repoRedeliverHook"],
    ...{ path: "/repos/olga/hello/hooks", elsewhere: "/repos/acme/hello/hooks", repository: "olga/hello" },
    ...{ by: () => owner, refused: 403 },
  },
  {
    operations: ["orgListHookDeliveries", "orgGetHookDelivery", "orgRedeliverHook"],
    ...{ path: "/orgs/acme/hooks", elsewhere: "/user/hooks", repository: "acme/hello" },
    ...{ by: () => owner, refused: 403 },
  },
  {
    operations: ["userListHookDeliveries", "userGetHookDelivery", "userRedeliverHook"],
    ...{ path: "/user/hooks", elsewhere: "/orgs/acme/hooks", repository: "olga/hello" },
    ...{ by: () => owner, refused: 404 },
  },
  {
    operations: ["adminListHookDeliveries", "adminGetHookDelivery", "adminRedeliverHook"],
    ...{ path: "/admin/hooks", elsewhere: "/user/hooks", repository: "olga/hello" },
    ...{ by: () => boss, refused: 403 },
  },
] as const;

describe.each(places)("$operations", ({ path, elsewhere, repository, by, refused }) => {
  it("200, 201: the history, a delivery with its texts and without any secret, and the same once more", async () => {
    const as = by();
    const hook = await makeHook(path, as);
    await openIssue(repository);
    const all = `${path}/${hook.id}/deliveries`;
    const listed = await api.call("GET", all, { as });
    expect([listed.status, listed.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const [row] = listed.json;
    expect(listed.json).toEqual([
      {
        ...{ uuid: expect.any(String), event: "issues", event_type: "issues", redelivery_of: null },
        ...{ state: "answered", created_at: expect.any(String) },
        attempts: [expect.objectContaining({ number: 1, outcome: "answered", status: 202, reason: "" })],
        request: { url: expect.any(String), headers: expect.any(Object) },
        response: { status: 202, headers: expect.objectContaining({ "x-seen": "yes" }) },
      },
    ]);
    expect(row.request.url).toMatch(/\/\/\*{8}@127\.0\.0\.1:\d+\/\?token=\*{8}$/);
    expect(row.request.headers).toMatchObject({ "X-Gitea-Delivery": row.uuid, Authorization: "********" });
    const one = await api.call("GET", `${all}/${row.uuid}`, { as });
    expect(one.json).toEqual({
      ...row,
      ...{ payload: receiver.requests.at(-1)?.body, payload_truncated: false, response_body: "thanks" },
    });
    expect(listed.text + one.text).not.toMatch(secrets);

    const before = receiver.requests.length;
    const again = await api.call("POST", `${all}/${row.uuid}/redeliver`, { as });
    expect([again.status, again.json.redelivery_of, again.json.state]).toEqual([201, row.uuid, "waiting"]);
    await deliver();
    const [received] = receiver.requests.slice(before);
    expect([received?.body, received?.headers["x-gitea-delivery"]]).toEqual([
      one.json.payload,
      again.json.uuid,
    ]);
    const uuids = (await api.call("GET", all, { as })).json.map(({ uuid }: JsonValue) => uuid);
    expect(uuids).toHaveLength(2);
    expect(uuids).toContain(again.json.uuid);
    await api.call("DELETE", `${path}/${hook.id}`, { as });
    for (const gone of [all, `${all}/${row.uuid}`])
      expect((await api.call("GET", gone, { as })).status).toBe(404);
  });

  it("409 while it is tried, 422 for a hook that is switched off", async () => {
    const as = by();
    receiver.answer = (response) => response.destroy();
    const hook = await makeHook(path, as);
    const one = `${path}/${hook.id}`;
    await api.call("POST", `/repos/${repository}/issues`, { as: owner, body: { title: "T" } });
    await api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
    const [{ uuid }] = (await api.call("GET", `${one}/deliveries`, { as })).json;
    const again = () => api.call("POST", `${one}/deliveries/${uuid}/redeliver`, { as });
    expect((await again()).status).toBe(409);
    await api.call("PATCH", one, { as, body: { active: false } });
    await deliver();
    expect((await again()).status).toBe(422);
    receiver.answer = (response) => response.writeHead(202, { "X-Seen": "yes" }).end("thanks");
    await api.call("DELETE", one, { as });
  });

  it("404 for a hook of another place and for a delivery of another hook; refusals as for the hook itself", async () => {
    const as = by();
    const [hook, other] = [await makeHook(path, as), await makeHook(path, as)];
    await openIssue(repository);
    const [theirs] = (await api.call("GET", `${path}/${other.id}/deliveries`, { as })).json;
    const statuses = async (base: string, uuid: string, caller?: Caller) => {
      const calls = [
        ["GET", base],
        ["GET", `${base}/${uuid}`],
        ["POST", `${base}/${uuid}/redeliver`],
      ] as const;
      return Promise.all(
        calls.map(async ([method, at]) => (await api.call(method, at, { as: caller })).status),
      );
    };
    expect(await statuses(`${elsewhere}/${other.id}/deliveries`, theirs.uuid, owner)).toEqual(
      Array(3).fill(404),
    );
    const own = `${path}/${hook.id}/deliveries`;
    expect((await statuses(own, theirs.uuid, as)).slice(1)).toEqual([404, 404]);
    expect((await statuses(own, "nonsense", as)).slice(1)).toEqual([404, 404]);
    expect(await statuses(`${path}/${other.id}/deliveries`, theirs.uuid)).toEqual(Array(3).fill(401));
    expect(await statuses(`${path}/${other.id}/deliveries`, theirs.uuid, reader)).toEqual(
      Array(3).fill(refused),
    );
    for (const { id } of [hook, other]) await api.call("DELETE", `${path}/${id}`, { as });
  });
});

describe("repoTestHook", () => {
  it("204: delivers the newest commit as a push to a hook that pushes are for (EV-3, semantics §27.9, §27.10-8)", async () => {
    const hook = await makeHook("/repos/olga/hello/hooks", owner);
    const path = `/repos/olga/hello/hooks/${hook.id}`;
    const received = async () => {
      const before = receiver.requests.length;
      expect(await api.call("POST", `${path}/tests`, { as: owner })).toMatchObject({ status: 204, text: "" });
      await deliver();
      return receiver.requests.slice(before);
    };
    expect(await received()).toEqual([]);
    await api.call("PATCH", path, { as: owner, body: { events: ["push"] } });
    const [push, ...others] = await received();
    expect([push?.headers["x-gitea-event"], others]).toEqual(["push", []]);
    const { json: commits } = await api.call("GET", "/repos/olga/hello/commits?limit=1", { as: owner });
    expect(JSON.parse(push?.body ?? "")).toMatchObject({
      ...{ ref: "refs/heads/main", commits: [{ id: commits[0].sha }] },
      repository: { full_name: "olga/hello" },
    });
    await api.call("DELETE", path, { as: owner });
  });
});

describe("repoListHookDeliveries", () => {
  it("200: part by part, the newest first, by the delivery seen last; 404 for one that is none", async () => {
    const hook = await makeHook(places[0].path, owner);
    for (let count = 0; count < 5; count += 1) await makeDelivery(hook.id, { payload: "{}" });
    const seen: string[] = [];
    let at: string | undefined = `${places[0].path}/${hook.id}/deliveries?limit=2`;
    const sizes: number[] = [];
    while (at !== undefined) {
      const { json, headers } = await api.call("GET", at, { as: owner });
      sizes.push(json.length);
      seen.push(...json.map(({ uuid }: JsonValue) => uuid));
      const [, next] = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
      at = next;
    }
    expect(sizes).toEqual([2, 2, 1]);
    expect(seen).toEqual(seen.toSorted().toReversed());
    const nonsense = `${places[0].path}/${hook.id}/deliveries?before=nonsense`;
    expect((await api.call("GET", nonsense, { as: owner })).status).toBe(404);
    await api.call("DELETE", `${places[0].path}/${hook.id}`, { as: owner });
  });
});

describe("repoGetHookDelivery", () => {
  it("200: a large payload is cut, and says so", async () => {
    const hook = await makeHook(places[0].path, owner);
    await makeDelivery(hook.id, await keepPayload(api.forge, "x".repeat(300_000)));
    const all = `${places[0].path}/${hook.id}/deliveries`;
    const [{ uuid }] = (await api.call("GET", all, { as: owner })).json;
    const { json } = await api.call("GET", `${all}/${uuid}`, { as: owner });
    expect([json.payload.length, json.payload_truncated]).toEqual([256 * 1024, true]);
    await api.call("DELETE", `${places[0].path}/${hook.id}`, { as: owner });
  });
});

describe("deliveries with secrets of site administrators (D-DEFAULTHOOK)", () => {
  it("200: others see neither signatures nor the answer, even once the hook is their own", async () => {
    const original = await makeHook("/admin/hooks", boss, { is_system_webhook: "false" });
    await api.call("POST", "/user/repos", { as: owner, body: { name: "copied" } });
    await api.call("DELETE", `/admin/hooks/${original.id}`, { as: boss });
    const path = "/repos/olga/copied/hooks";
    const [{ id }] = (await api.call("GET", path, { as: owner })).json;
    await openIssue("olga/copied");
    const all = `${path}/${id}/deliveries`;
    const [{ uuid }] = (await api.call("GET", all, { as: owner })).json;
    const read = async (as: Caller) => (await api.call("GET", `${all}/${uuid}`, { as })).json;
    const signature = async (as: Caller) => (await read(as)).request.headers["X-Gitea-Signature"];
    const hidden = { response: { status: 202, headers: {} }, response_body: "" };
    expect(await read(owner)).toMatchObject(hidden);
    expect([await signature(owner), await signature(boss)]).toEqual([
      "********",
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
    expect((await read(boss)).response_body).toBe("thanks");
    const elsewhere = { config: { url: receiver.url } };
    await api.call("PATCH", `${path}/${id}`, { as: owner, body: elsewhere });
    expect(await read(owner)).toMatchObject(hidden);
    expect(await signature(owner)).toBe("********");
    expect((await api.call("POST", `${all}/${uuid}/redeliver`, { as: owner })).status).toBe(201);
    await deliver();
    expect(receiver.requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  it("200 without rows for a hook that new repositories get a copy of: it hears of nothing", async () => {
    const { id } = await makeHook("/admin/hooks", boss, { is_system_webhook: "false" });
    const { status, json } = await api.call("GET", `/admin/hooks/${id}/deliveries`, { as: boss });
    expect([status, json]).toEqual([200, []]);
    await api.call("DELETE", `/admin/hooks/${id}`, { as: boss });
  });
});
