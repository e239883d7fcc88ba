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
let made = 0;

beforeAll(async () => {
  api = await makeApi();
  administrator = await api.makeUser({ name: "boss", isAdmin: true });
  owner = await api.makeUser({ name: "owner" });
  outsider = await api.makeUser({ name: "outsider" });
  scopeless = await api.makeToken(owner, ["read:misc"]);
});
afterAll(() => api.stop());

const isRead = (one: Endpoint) => one.method === "get";

/** What the verbs themselves refuse to callers whom the needs let through: told by the operations' own tests. */
const refusedLater: Readonly<Record<string, readonly CallerName[]>> = {
  createOrgRepo: ["outsider"],
  createOrgRepoDeprecated: ["outsider"],
  orgPublicizeMember: ["administrator"],
  orgConcealMember: ["administrator"],
  orgGetUserPermissions: ["outsider"],
  repoGetRepoPermissions: ["outsider"],
};

/** What the rights decide for a caller: a refusal's status, or "passes" when they let him through. */
function expected(one: Endpoint, caller: CallerName, isPrivate: boolean): number | "passes" {
  if (caller === "wrong token") return 401;
  if (caller === "scopeless token" && (one.needs.scope ?? []).length > 0) return 403;
  const { repository, siteAdmin, user, organization, team, ownPassword } = one.needs;
  const isStranger = caller === "anonymous" || caller === "outsider";
  if (team !== undefined && isStranger) return caller === "anonymous" ? 401 : 404;
  if (repository !== undefined && isPrivate && isStranger) return 404;
  if (caller === "anonymous" && !isOpen(one.needs)) return 401;
  if (ownPassword === true) return 403;
  if (caller === "administrator") return "passes";
  if (siteAdmin === true) return 403;
  if (user === "self-or-admin" && caller === "outsider") return 403;
  if (organization !== undefined && organization !== "visible" && caller === "outsider") return 403;
  if (repository !== undefined && repository.mode !== "read" && isStranger) return 403;
  return "passes";
}

/** What one operation is tried on, which may well delete it. */
type Target = Readonly<Record<string, string>>;

async function makeTarget(one: Endpoint, isPrivate: boolean): Promise<Target> {
  const name = `${one.id}-${isPrivate ? "private" : "public"}`.toLowerCase();
  const org = `${made++}-${name}`.slice(0, 40).replace(/-$/, "");
  const { repository, organization, team } = one.needs;
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await api.call("POST", path, { as: owner, body });
    expect(answer.status).toBe(201);
    return String(answer.json.id);
  };
  const values = { owner: "owner", username: "owner", org, repo: name, id: "1", index: "1", team: "none" };
  if (organization !== undefined || team !== undefined) await make("/orgs", { username: org });
  const path = team === undefined ? "/user/repos" : `/orgs/${org}/repos`;
  const repositoryId = repository === undefined ? "1" : await make(path, { name, private: isPrivate });
  if (team === undefined)
    return one.path.startsWith("/repositories/") ? { ...values, id: repositoryId } : values;
  const id = await make(`/orgs/${org}/teams`, {
    name: "t",
    units: ["repo.code"],
    includes_all_repositories: true,
  });
  return { ...values, id };
}

const pathOf = (one: Endpoint, target: Target): string =>
  one.path.replace(/\{(\w+)\}/g, (_whole, name: string) => target[name] ?? "absent");

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
        const path = pathOf(one, await makeTarget(one, isPrivate));
        for (const caller of callers) {
          const body = isRead(one) || one.body === undefined ? {} : { body: {} };
          const { status } = await api.call(one.method.toUpperCase(), path, {
            headers: credentials(caller),
            ...body,
          });
          const promise = expected(one, caller, isPrivate);
          if (promise !== "passes") expect(`${caller}: ${status}`).toBe(`${caller}: ${promise}`);
          else if (caller !== "scopeless token" && refusedLater[one.id]?.includes(caller) !== true)
            expect([401, 403], `${caller}: ${status}`).not.toContain(status);
        }
      });
    }
  }
});
