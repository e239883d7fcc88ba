import { createHash } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { type HandlersBehindEdge, startHandlersBehindEdge } from "#tests/support/edge/handlers-behind-edge";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
export let lambda: HandlersBehindEdge;

/** A registry behind the edge, whose clients reach S3 as well: made before the tests of a file, and ended after them. */
export function usePackagesBehindEdge(): void {
  beforeAll(async () => {
    api = await makeApi();
    await api.makeUser({ name: "root", isAdmin: true });
    [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
    lambda = await startHandlersBehindEdge(api.forge, { isReachable: true });
  });
  afterAll(async () => {
    await lambda.stop();
    await api.stop();
  });
}

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
export const at = (path: string) => `${lambda.url}/api/packages/alice/generic/${path}`;

export async function post(path: string, body: object, as = alice) {
  const headers = { authorization: `token ${as.token}`, "content-type": "application/json" };
  const answer = await fetch(at(path), { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, text, json: text.startsWith("{") ? JSON.parse(text) : undefined };
}

export const put = async (url: string, bytes: Uint8Array) =>
  (await fetch(url, { method: "PUT", headers: { "if-none-match": "*" }, body: new Uint8Array(bytes) }))
    .status;

export const announce = async (path: string, bytes: Uint8Array) =>
  (await post(path, { size: bytes.length, sha256: sha256(bytes) })).json;
