import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Cost, type Counted, tryCount } from "#core/caller/rates";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { measured } from "#tests/support/measured";
import { lowRates } from "#tests/support/suite/rates";
import { type ServedGit, serveGit } from "../../api/repository/serve-git.ts";
import { git, tryGit } from "./real-git.ts";

let api: TestApi;
let served: ServedGit;
let alice: Caller;
let folder: string;
const here: Counted = { address: "127.0.0.1" };

beforeAll(async () => {
  api = await makeApi({ settings: lowRates });
  served = await serveGit(api);
  alice = await api.makeUser({ name: "alice" });
  folder = await mkdtemp(join(tmpdir(), "rates-"));
  for (const [name, options] of [
    ["tale", {}],
    ["secret", { private: true }],
  ] as const) {
    await makeRepository(api, alice, name, options);
    await pushFiles(api, alice, name, { files: { "a.md": "one\n" } });
  }
});
afterAll(async () => {
  await served.stop();
  await api.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => api.clock.advance(120_000));

function useUp(who: Counted, cost: Cost): void {
  for (let sent = 0; tryCount(api.forge, who, cost) === 0; sent += 1) expect(sent).toBeLessThan(10_000);
}
const account = (): Counted => ({ userId: alice.user.id });
let clones = 0;
const clone = (path: string, as?: Caller) => {
  clones += 1;
  return tryGit(folder, ["clone", "-q", served.url(path, as), `clone-${clones}`]);
};

describe("git (D-RATE)", () => {
  it("a clone too many of an anonymous network is refused in words that git shows, and works again later", async () => {
    useUp(here, "git");
    const refused = await clone("alice/tale");
    expect([refused.code, refused.stderr]).toEqual([
      128,
      expect.stringContaining(
        "remote: too many clones, fetches and pushes from your network, which may send 600 a minute: try again in 1 second, or log in",
      ),
    ]);
    api.clock.advance(1_000);
    expect(await clone("alice/tale")).toMatchObject({ code: 0 });
  });

  it("who is signed in is asked for it and goes on, from the very network that sends too much", async () => {
    for (const cost of ["git", "git-request"] as const) useUp(here, cost);
    expect(await clone("alice/secret", alice)).toMatchObject({ code: 0 });
    useUp(here, "light");
    expect(await clone("alice/secret", alice)).toMatchObject({ code: 0 });
    expect(await clone("alice/tale", alice)).toMatchObject({ code: 0 });
  });

  it("pushes and fetches of an account have one rate, wherever they come from, with words that git shows", async () => {
    const url = served.url("alice/secret", alice);
    await git(folder, ["clone", "-q", url, "work"]);
    const work = join(folder, "work");
    await git(work, ["commit", "-q", "--allow-empty", "-m", "two"]);
    useUp(account(), "git");
    const words = expect.stringMatching(/remote: too many clones, fetches and pushes from your account/);
    expect(await tryGit(work, ["push", "-q"])).toMatchObject({ code: 128, stderr: words });
    expect(await tryGit(work, ["fetch", "-q"])).toMatchObject({ code: 128, stderr: words });
    api.clock.advance(60_000);
    expect(await tryGit(work, ["push", "-q"])).toMatchObject({ code: 0 });
  });

  it("429 with Retry-After for requests that leave out the first, before anything is read", async () => {
    const app = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
    useUp({ address: "192.0.2.5" }, "git-request");
    const ask = () =>
      app.request(
        "/alice/tale/git-upload-pack",
        {
          method: "POST",
          headers: { "content-type": "application/x-git-upload-pack-request" },
          body: "0000",
        },
        { clientAddress: "192.0.2.5" },
      );
    const { result, usage } = await measured(async () => ask());
    expect([result.status, result.headers.get("retry-after"), usage.tableRequests]).toEqual([429, "1", 0]);
    expect(await result.text()).toMatch(/^too many requests of git from your network/);
  });

  it("429 for more passwords than a network may have checked", async () => {
    const app = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
    useUp({ address: "192.0.2.7" }, "password");
    const ask = (password: string) =>
      app.request(
        "/alice/tale/info/refs?service=git-upload-pack",
        { headers: basic("alice", password) },
        { clientAddress: "192.0.2.7" },
      );
    const refused = await ask("wrong");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);
    expect(await refused.text()).toMatch(/^too many passwords to check from your network.*access token\n$/);
    expect((await ask(alice.token)).status).toBe(200);
  });

  it("401 without a look once a network has asked too often who needs no credentials", async () => {
    const app = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
    useUp({ address: "192.0.2.6" }, "light");
    const ask = () =>
      app.request("/alice/tale/info/refs?service=git-upload-pack", {}, { clientAddress: "192.0.2.6" });
    const { result, usage } = await measured(async () => ask());
    expect([result.status, result.headers.has("www-authenticate"), usage.tableRequests]).toEqual([
      401,
      true,
      0,
    ]);
  });
});
