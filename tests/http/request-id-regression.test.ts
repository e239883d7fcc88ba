import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi();
});
afterAll(() => api.stop());

const headers = { "x-amzn-trace-id": "Root=1-made-up" };
const onOneMachine = { incoming: { socket: { remoteAddress: "192.0.2.1" } } };
const behindGateway = { event: { requestContext: { http: { sourceIp: "192.0.2.1" } } } };
const madeHere = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("the id of a request", () => {
  it("is made here on one machine, where any caller may send the gateway's header", async () => {
    const { headers: answered } = await api.app.request("/api/v1/version", { headers }, onOneMachine);
    expect(answered.get("x-request-id")).toMatch(madeHere);
  });

  it("is the gateway's behind one", async () => {
    const { headers: answered } = await api.app.request("/api/v1/version", { headers }, behindGateway);
    expect(answered.get("x-request-id")).toBe("Root=1-made-up");
  });

  it("is the same to git, which its client's logs name as the session", async () => {
    const owner = await api.makeUser({ name: "alice" });
    await api.call("POST", "/user/repos", { as: owner, body: { name: "tale", auto_init: true } });
    const git = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
    const ask = async (environment: object) => {
      const path = "/alice/tale/info/refs?service=git-upload-pack";
      const answer = await git.request(path, { headers }, environment);
      return /session-id=(\S+)/.exec(await answer.text())?.[1];
    };
    expect(await ask(onOneMachine)).toMatch(madeHere);
    expect(await ask(behindGateway)).toBe("Root=1-made-up");
  });
});
