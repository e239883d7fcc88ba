import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unboundedIntake } from "#core/capacity/intake";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { createSite } from "#infra/local/http/site";
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

  const paths = [
    ...[
      "/",
      "/api/v1/version",
      "/api/v1/nothing",
      "/swagger.v1.json",
      "/api/healthz",
      "/user/login",
      "/user/nothing",
    ],
    ...["/login/oauth/keys", "/login/oauth/authorize", "/login/oauth/access_token", "/avatars/nothing"],
    ...[
      "/.well-known/openid-configuration",
      "/.well-known/nodeinfo",
      "/api/actions/ping.v1.PingService/Ping",
    ],
    ...[
      "/api/packages/alice/npm/nothing",
      "/api/packages/nothing",
      "/twirp/github.actions.results.api.v1.ArtifactService/X",
    ],
    ...["/bob/story/info/refs?service=git-upload-pack", "/bob/nothing/info/refs?service=git-upload-pack"],
    ...["/bob/story/git-upload-pack", "/bob/story/HEAD", "/bob/story?go-get=1", "/nothing/at/all"],
    ...[
      "/bob/story/raw/branch/main/README.md",
      "/bob/story/raw/branch/main/nothing",
      "/bob/story/archive/main.zip",
    ],
    ...[
      "/api/swagger",
      "/api/v1/openapi.json",
      "/bob/story/info/lfs/locks",
      "/-/mail/unsubscribe/x",
      "/-/nothing",
    ],
  ];
  it("stands on every answer, whichever part of the service gives it (fixed: git gave none)", async () => {
    const owner = await api.makeUser({ name: "bob" });
    await api.call("POST", "/user/repos", { as: owner, body: { name: "story", auto_init: true } });
    const site = createSite(api.forge, unboundedIntake());
    const lacking: string[] = [];
    for (const path of paths) {
      const answer = await site.request(path, {}, onOneMachine);
      await answer.body?.cancel();
      if (!madeHere.test(answer.headers.get("x-request-id") ?? "")) lacking.push(`${answer.status} ${path}`);
    }
    expect(lacking).toEqual([]);
  });
});
