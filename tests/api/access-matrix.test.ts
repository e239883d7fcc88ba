import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "#functions/api/endpoint";
import { isOpen } from "#functions/api/endpoint";
import { endpoints } from "#functions/api/endpoints";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

/** Every operation × every kind of caller × a public and a private target, from the operation's declared needs. */
const callers = [
  "anonymous",
  "wrong token",
  "outsider",
  "scopeless token",
  "owner",
  "administrator",
] as const;
type CallerName = (typeof callers)[number];

let api: TestApi;
let owner: Caller;
let outsider: Caller;
let administrator: Caller;
let scopeless: string;

beforeAll(async () => {
  api = await makeApi();
  administrator = await api.makeUser({ name: "boss", isAdmin: true });
  owner = await api.makeUser({ name: "owner" });
  outsider = await api.makeUser({ name: "outsider" });
  scopeless = await api.makeToken(owner, ["read:misc"]);
});
afterAll(() => api.stop());

const isRead = (one: Endpoint) => one.method === "get";

/** What the rights decide for a caller: a refusal's status, or "passes" when they let him through. */
function expected(one: Endpoint, caller: CallerName, isPrivate: boolean): number | "passes" {
  if (caller === "wrong token") return 401;
  if (caller === "scopeless token" && (one.needs.scope ?? []).length > 0) return 403;
  const { repository, siteAdmin, user } = one.needs;
  const isStranger = caller === "anonymous" || caller === "outsider";
  if (repository !== undefined && isPrivate && isStranger) return 404;
  if (caller === "anonymous" && !isOpen(one.needs)) return 401;
  if (caller === "administrator") return "passes";
  if (siteAdmin === true) return 403;
  if (user === "self-or-admin" && caller === "outsider") return 403;
  if (repository !== undefined && repository.mode !== "read" && isStranger) return 403;
  return "passes";
}

/** A repository for one operation, which may well delete it. */
async function makeRepository(name: string, isPrivate: boolean): Promise<{ name: string; id: string }> {
  const answer = await api.call("POST", "/user/repos", { as: owner, body: { name, private: isPrivate } });
  expect(answer.status).toBe(201);
  return { name, id: String(answer.json.id) };
}

function pathOf(one: Endpoint, repository: { name: string; id: string } | undefined): string {
  const id = one.path.startsWith("/repositories/") ? repository?.id : "1";
  const values = new Map(
    Object.entries({ owner: "owner", repo: repository?.name, username: "owner", id, index: "1" }),
  );
  return one.path.replace(/\{(\w+)\}/g, (_whole, name: string) => values.get(name) ?? "absent");
}

function credentials(caller: CallerName): Record<string, string> {
  const tokens: Partial<Record<CallerName, string>> = {
    "wrong token": "0".repeat(40),
    outsider: outsider.token,
    "scopeless token": scopeless,
    owner: owner.token,
    administrator: administrator.token,
  };
  const token = tokens[caller];
  return token === undefined ? {} : { authorization: `token ${token}` };
}

describe("access matrix", () => {
  for (const one of endpoints) {
    const targets = one.needs.repository === undefined ? [false] : [false, true];
    for (const isPrivate of targets) {
      const target =
        one.needs.repository === undefined
          ? ""
          : isPrivate
            ? " on a private repository"
            : " on a public repository";
      it(`${one.id}${target}: every kind of caller gets what the needs promise`, async () => {
        const name = `${one.id}-${isPrivate ? "private" : "public"}`.toLowerCase();
        const repository =
          one.needs.repository === undefined ? undefined : await makeRepository(name, isPrivate);
        for (const caller of callers) {
          const body = isRead(one) || one.body === undefined ? {} : { body: {} };
          const path = pathOf(one, repository);
          const { status } = await api.call(one.method.toUpperCase(), path, {
            headers: credentials(caller),
            ...body,
          });
          const promise = expected(one, caller, isPrivate);
          if (promise !== "passes") expect(`${caller}: ${status}`).toBe(`${caller}: ${promise}`);
          else if (caller !== "scopeless token")
            expect([401, 403], `${caller}: ${status}`).not.toContain(status);
        }
      });
    }
  }
});
