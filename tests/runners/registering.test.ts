import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registrationToken } from "#core/runner/registration-token";
import { getRunner, removeRunner } from "#core/runner/runner";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { callRunner, encodings, type Identity } from "./client.ts";

let api: TestApi;
let boss: Caller;
beforeAll(async () => {
  api = await makeApi();
  boss = await api.makeUser({ name: "boss", isAdmin: true });
});
afterAll(() => api.stop());

const everywhere = { kind: "global" } as const;
const service = "runner.v1.RunnerService";

describe.each(encodings)("the runner protocol in %s (semantics §60)", (encoding) => {
  it("Ping greets, in either spelling of a request, compressed or not (60.6-1)", async () => {
    for (const isCompressed of [false, true]) {
      const answer = await callRunner(
        api.app,
        "ping.v1.PingService/Ping",
        { data: "x" },
        { encoding, isCompressed },
      );
      expect([answer.status, answer.headers.get("content-type"), answer.message]).toEqual([
        200,
        encoding,
        { data: "Hello, x!" },
      ]);
    }
  });

  it("Register gives a UUID and a token, with which Declare keeps version and labels (60.6-2)", async () => {
    const token = await registrationToken(api.forge, everywhere);
    const given = {
      name: "builder",
      token,
      version: "v1",
      labels: ["linux", "linux", "gpu"],
      ephemeral: true,
    };
    const { status, message } = await callRunner(api.app, `${service}/Register`, given, { encoding });
    expect([status, message.runner]).toEqual([
      200,
      {
        id: expect.anything(),
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        token: expect.stringMatching(/^[0-9a-f]{40}$/),
        ...{ name: "builder", version: "v1", labels: ["linux", "gpu"], ephemeral: true },
        status: encoding === "application/json" ? "RUNNER_STATUS_OFFLINE" : 3,
      },
    ]);
    const as = message.runner as Identity;
    const declared = await callRunner(
      api.app,
      `${service}/Declare`,
      { version: "v2", labels: ["arm"] },
      { encoding, as },
    );
    const { token: _, ...shown } = message.runner;
    expect(declared.message.runner).toEqual({ ...shown, version: "v2", labels: ["arm"] });
    const path = `/admin/actions/runners/${Number(message.runner.id)}`;
    expect((await api.call("GET", path, { as: boss })).json).toMatchObject({
      ...{ version: "v2", labels: ["arm"], ephemeral: true, status: "idle", busy: false },
    });
  });

  it("refuses strangers: 401 unauthenticated for a wrong token, an unknown UUID, and none (60.6-2)", async () => {
    const token = await registrationToken(api.forge, everywhere);
    const { message } = await callRunner(api.app, `${service}/Register`, { name: "r", token }, { encoding });
    const { uuid, id } = message.runner;
    const wrong = { uuid, token: "0".repeat(40) };
    for (const as of [wrong, { uuid: crypto.randomUUID(), token: message.runner.token }, undefined]) {
      const answer = await callRunner(api.app, `${service}/Declare`, { version: "v" }, { encoding, as });
      expect([answer.status, answer.code]).toEqual([401, "unauthenticated"]);
      expect(answer.headers.get("content-type")).toBe("application/json");
    }
    expect((await getRunner(api.forge, everywhere, Number(id))).version).toBe("");
    await removeRunner(api.forge, everywhere, Number(id));
    const gone = await callRunner(api.app, `${service}/Declare`, {}, { encoding, as: message.runner });
    expect([gone.status, gone.code]).toEqual([401, "unauthenticated"]);
  });

  it("refuses to register: 400 invalid_argument without a name or token, by a wrong or deactivated one", async () => {
    const token = await registrationToken(api.forge, everywhere);
    expect((await api.call("DELETE", "/admin/actions/runners/registration-token", { as: boss })).status).toBe(
      204,
    );
    const present = await registrationToken(api.forge, everywhere);
    for (const given of [
      { name: "", token: present },
      { name: "r", token: "" },
      { name: "r", token: "x".repeat(40) },
      { name: "r", token },
      { name: "r", token: present, labels: Array.from({ length: 51 }, (_, at) => `l${at}`) },
    ]) {
      const { status, code } = await callRunner(api.app, `${service}/Register`, given, { encoding });
      expect([status, code]).toEqual([400, "invalid_argument"]);
    }
  });
});

describe("the runner protocol's form (semantics §60.1)", () => {
  const ask = (path: string, init: RequestInit) =>
    api.app.request(`/api/actions/${path}`, init, { clientAddress: "192.0.2.1" });
  const ping = "ping.v1.PingService/Ping";

  it("takes no more than some labels from strangers, however well they compress (docs/limits.md)", async () => {
    const data = "x".repeat(64 * 1024);
    for (const isCompressed of [false, true]) {
      const { status, code } = await callRunner(api.app, ping, { data }, { isCompressed });
      expect([status, code]).toEqual([400, "invalid_argument"]);
    }
  });

  it("takes numbers for enums, both spellings of names, and members that it does not know", async () => {
    const token = await registrationToken(api.forge, everywhere);
    const body = JSON.stringify({ name: "old", token, agent_labels: ["a"], customLabels: ["b"], newer: [1] });
    const headers = { "content-type": "application/json; charset=utf-8" };
    const answer = await ask(`${service}/Register`, { method: "POST", headers, body });
    expect([answer.status, JSON.parse(await answer.text()).runner.labels]).toEqual([200, ["a", "b"]]);
  });

  it("compresses long answers for clients that read them", async () => {
    const data = "x".repeat(2_000);
    const headers = { "accept-encoding": "br, gzip;q=0.5" };
    const long = await callRunner(api.app, ping, { data }, { headers });
    expect([long.headers.get("content-encoding"), long.message.data]).toEqual(["gzip", `Hello, ${data}!`]);
    const short = await callRunner(api.app, ping, { data: "x" }, { headers });
    expect(short.headers.get("content-encoding")).toBeNull();
    const plain = await callRunner(api.app, ping, { data });
    expect(plain.headers.get("content-encoding")).toBeNull();
  });

  it("404, 405, 415, 400: unknown methods, other verbs, other types, bodies that are no message", async () => {
    const json = { "content-type": "application/json" };
    const proto = { "content-type": "application/proto" };
    const asked = [
      await ask("runner.v1.RunnerService/Absent", { method: "POST", headers: json, body: "{}" }),
      await ask("runner.v1.RunnerService/constructor", { method: "POST", headers: json, body: "{}" }),
      await ask(ping, { method: "GET" }),
      await ask(ping, { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" }),
      await ask(ping, { method: "POST", headers: json, body: "{" }),
      await ask(ping, { method: "POST", headers: json, body: '{"data": 1}' }),
      await ask(ping, { method: "POST", headers: proto, body: new Uint8Array([10, 200]) }),
      await ask(ping, { method: "POST", headers: { ...json, "content-encoding": "br" }, body: "{}" }),
      await ask(ping, { method: "POST", headers: { ...json, "content-encoding": "gzip" }, body: "{}" }),
      await ask(ping, { method: "POST", headers: { ...json, "connect-protocol-version": "2" }, body: "{}" }),
    ];
    const codes = await Promise.all(
      asked.map(async (answer) => {
        const text = await answer.text();
        return [answer.status, text === "" ? "" : JSON.parse(text).code];
      }),
    );
    expect(codes).toEqual([
      [404, "unimplemented"],
      [404, "unimplemented"],
      [405, ""],
      [415, ""],
      [400, "invalid_argument"],
      [400, "invalid_argument"],
      [400, "invalid_argument"],
      [404, "unimplemented"],
      [400, "invalid_argument"],
      [400, "invalid_argument"],
    ]);
  });

  it("400: a body over 4 MiB, however well it compresses", async () => {
    const data = "x".repeat(4 * 2 ** 20);
    for (const isCompressed of [false, true]) {
      const { status, code } = await callRunner(api.app, ping, { data }, { isCompressed });
      expect([status, code]).toEqual([400, "invalid_argument"]);
    }
  });
});

describe("a runner's rate (D-RATE)", () => {
  it("counts by runner, so that neighbours in its network go on; those who show nothing true count by network", async () => {
    const limited = await makeApi({ settings: { RATE_LIMITS: "true", RATE_LIGHT: "5" } });
    try {
      const token = await registrationToken(limited.forge, everywhere);
      const register = async (address: string) =>
        (await callRunner(limited.app, `${service}/Register`, { name: "r", token }, { address })).message
          .runner;
      const [eager, calm] = [await register("192.0.2.1"), await register("198.51.100.1")];
      const call = async (as: Identity) =>
        (await callRunner(limited.app, `${service}/Declare`, {}, { as, address: "203.0.113.1" })).code;
      for (let at = 0; at < 5; at += 1) expect(await call(eager)).toBeUndefined();
      expect(await call(eager)).toBe("resource_exhausted");
      expect(await call(calm)).toBeUndefined();
      const guess = { uuid: eager.uuid, token: "0".repeat(40) };
      for (let at = 0; at < 5; at += 1) expect(await call(guess)).toBe("unauthenticated");
      expect(await call(guess)).toBe("resource_exhausted");
      expect(await call(calm)).toBeUndefined();
    } finally {
      await limited.stop();
    }
  });
});
