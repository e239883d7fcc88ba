import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openSealedValue, sealValue } from "#core/sealed-value";
import { besideGit } from "#functions/files/beside-git";
import { openSealed, sealed } from "#functions/pages/sealed";
import { makeRepository } from "#tests/api/repository/make";
import { makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let site: Hono;

beforeAll(async () => {
  api = await makeApi();
  site = besideGit(new Hono(), api.forge);
});
afterAll(() => api.stop());

/** Words of a purpose as a former release could have sealed them: nobody has the members that are read today. */
const former = (purpose: string): string =>
  sealValue(api.forge, { purpose, shape: z.object({ was: z.string() }) }, { was: "other" });

describe("sealed words of another shape", () => {
  it("are refused like those that were made up, wherever they come back", async () => {
    const owner = await api.makeUser();
    const { repository } = await makeRepository(api, owner);
    const lfs = `/${owner.name}/${repository.name}/info/lfs/objects/${"0".repeat(64)}`;
    const upload = "/twirp/github.actions.results.api.v1.ArtifactService/UploadArtifact";
    const asked = async (method: string, path: string, headers: Record<string, string> = {}) => {
      const body = method === "GET" ? {} : { body: "x" };
      const answer = await site.request(path, { method, headers, ...body }, { clientAddress: "192.0.2.1" });
      return answer.status;
    };
    for (const [purpose, send] of Object.entries({
      "mail-unsubscribe": (words: string) => asked("POST", `/-/mail/unsubscribe/${words}`),
      "mail-confirm": (words: string) => asked("POST", `/-/mail/confirm/${words}`),
      "linked-answer": (words: string) => asked("GET", `/-/answers/${words}`),
      artifact: (words: string) => asked("GET", `/-/artifacts/${words}`),
      upload: (words: string) => asked("PUT", `/-/uploads/${words}`, { "if-none-match": "*" }),
      "artifact-upload": (words: string) => asked("PUT", `${upload}?sig=${words}&comp=block&blockid=AAAA`),
      "lfs-authorization": (words: string) => asked("GET", lfs, { authorization: `Bearer lfs:${words}` }),
    })) {
      const madeUp = await send("made.up.words");
      expect([purpose, await send(former(purpose))]).toEqual([purpose, madeUp]);
      expect([400, 401, 404], `${purpose}: ${madeUp}`).toContain(madeUp);
    }
  });

  it("open nothing, nor do those that were cut off, changed, or sealed for another purpose", () => {
    const kind = { purpose: "regression", shape: z.object({ n: z.int() }) };
    const words = sealValue(api.forge, kind, { n: 1 });
    expect(openSealedValue(api.forge, kind, words)).toEqual({ n: 1 });
    const [id, nonce, body = ""] = words.split(".");
    const others = [former("regression"), sealValue(api.forge, { ...kind, purpose: "other" }, { n: 1 }), ""];
    others.push(...Array.from({ length: words.length }, (_, length) => words.slice(0, length)));
    others.push(`${id}..${body}`, `${id}.${nonce}.`, `${nonce}.${id}.${body}`);
    others.push(`${id}.${nonce}.${body.startsWith("A") ? "B" : "A"}${body.slice(1)}`);
    for (const other of others) expect(openSealedValue(api.forge, kind, other), other).toBeUndefined();
  });

  it("are over on pages, too, and for another browser", () => {
    const browser = (browserKey: string) => ({
      forge: api.forge,
      visitor: { signedIn: undefined, browserKey, newCookie: undefined },
    });
    const kind = { purpose: "page", shape: z.object({ n: z.int() }) };
    const words = sealed(browser("a"), kind, { n: 1 }, 60);
    expect(openSealed(browser("a"), kind, words)).toEqual({ n: 1 });
    expect(openSealed(browser("b"), kind, words)).toBeUndefined();
    const was = { purpose: "page", shape: z.object({ n: z.string() }) };
    expect(openSealed(browser("a"), kind, sealed(browser("a"), was, { n: "1" }, 60))).toBeUndefined();
    expect(openSealed(browser("a"), kind, api.forge.secrets.seal("[]", "page page a"))).toBeUndefined();
    expect(openSealed(browser("a"), kind, sealed(browser("a"), kind, { n: 1 }, 0))).toBeUndefined();
  });
});
