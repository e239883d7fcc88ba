import { afterAll, beforeAll, expect, it } from "vitest";
import type { Endpoint } from "#functions/http/endpoint";
import { isOpen } from "#functions/http/needs/needs";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { endpoints } from "#tests/support/endpoints";
import { turnOnSecondFactor } from "#tests/support/second-factor";
import { sampleBody } from "./sample-body.ts";

/** A kind of caller. The promises follow from the operation's declared needs. */
interface Kind {
  readonly is: "anonymous" | "outsider" | "owner" | "administrator";
  /** The status for callers whose credentials are never accepted. */
  readonly refused?: 401;
  readonly by?: "password" | "sudo";
  /** The part of `all` that the token lacks. */
  readonly token?: "scopeless" | "reading" | "public-only";
  headers(): Record<string, string>;
}

let api: TestApi;
let owner: Caller;
let outsider: Caller;
let administrator: Caller;
let made = 0;
let guarded: Caller;
let code = "";
const tokens = { scopeless: "", reading: "", "public-only": "" };

const byToken = (token: string) => ({ authorization: `token ${token}` });
const kinds: Readonly<Record<string, Kind>> = {
  anonymous: { is: "anonymous", headers: () => ({}) },
  "wrong token": { is: "anonymous", refused: 401, headers: () => byToken("0".repeat(40)) },
  outsider: { is: "outsider", headers: () => byToken(outsider.token) },
  "password without its code": {
    is: "outsider",
    refused: 401,
    headers: () => basic(guarded.name, guarded.password),
  },
  "password and code": {
    is: "outsider",
    by: "password",
    headers: () => ({ ...basic(guarded.name, guarded.password), "x-gitea-otp": code }),
  },
  "administrator as an outsider": {
    is: "outsider",
    by: "sudo",
    headers: () => ({ ...byToken(administrator.token), sudo: outsider.name }),
  },
  "scopeless token": { is: "owner", token: "scopeless", headers: () => byToken(tokens.scopeless) },
  "reading token": { is: "owner", token: "reading", headers: () => byToken(tokens.reading) },
  "public-only token": { is: "owner", token: "public-only", headers: () => byToken(tokens["public-only"]) },
  "administrator as the owner": {
    is: "owner",
    by: "sudo",
    headers: () => ({ ...byToken(administrator.token), sudo: owner.name }),
  },
  owner: { is: "owner", headers: () => byToken(owner.token) },
  administrator: { is: "administrator", headers: () => byToken(administrator.token) },
};
const everyRead = ["misc", "notification", "organization", "package", "issue", "repository", "user", "admin"];

/** Gives every caller fresh tokens. */
async function issueTokens(): Promise<void> {
  const renewed = async (caller: Caller) => ({ ...caller, token: await api.makeToken(caller, ["all"]) });
  [administrator, owner, outsider] = [
    await renewed(administrator),
    await renewed(owner),
    await renewed(outsider),
  ];
  tokens.scopeless = await api.makeToken(owner, ["read:activitypub"]);
  tokens.reading = await api.makeToken(
    owner,
    everyRead.map((category) => `read:${category}`),
  );
  tokens["public-only"] = await api.makeToken(owner, ["public-only", "all"]);
}

const isRead = (one: Endpoint) => one.method === "get";

/** Refusals of the verbs for callers that the needs accept: the operations' own tests check them. */
const refusedLater: Readonly<Record<string, readonly Kind["is"][]>> = {
  repoListGitHooks: ["owner", "administrator"],
  repoGetGitHook: ["owner", "administrator"],
  repoEditGitHook: ["owner", "administrator"],
  repoDeleteGitHook: ["owner", "administrator"],
  createOrgRepoCurrent: ["outsider"],
  createOrgRepo: ["outsider"],
  orgPublicizeMember: ["administrator"],
  orgConcealMember: ["administrator"],
  orgGetUserPermissions: ["outsider"],
  repoGetRepoPermissions: ["outsider"],
};

/** The result of the rights for a caller: a refusal's status, or "passes". */
function expected(one: Endpoint, kind: Kind, isPrivate: boolean): number | "passes" {
  if (kind.refused !== undefined) return kind.refused;
  const { repository, siteAdmin, user, organization, team, ownPassword } = one.needs;
  const isScoped = (one.needs.scope ?? []).length > 0;
  if (isScoped && (kind.token === "scopeless" || (kind.token === "reading" && !isRead(one)))) return 403;
  const isStranger = kind.is === "anonymous" || kind.is === "outsider";
  if (team !== undefined && isStranger) return kind.is === "anonymous" ? 401 : 404;
  if (repository !== undefined && isPrivate && isStranger) return 404;
  if (kind.is === "anonymous" && !isOpen(one.needs)) return 401;
  if (ownPassword !== undefined && kind.by !== "password") return 403;
  if (kind.is === "administrator") return "passes";
  if (siteAdmin === true) return 403;
  if (user === "self-or-admin" && kind.is === "outsider") return 403;
  if (organization !== undefined && organization !== "visible" && kind.is === "outsider") return 403;
  if (repository !== undefined && isPrivate && kind.token === "public-only") return 403;
  if (repository !== undefined && repository.mode !== "read" && isStranger) return 403;
  if (one.needs.package?.mode === "write" && isStranger) return 403;
  return "passes";
}

/** The target of one operation, which may well delete it. */
type Target = Readonly<Record<string, string>>;

/** Targets that no operation has changed yet; operations with the same needs share one. */
const unchanged = new Map<string, Promise<Target>>();

function keyOf(one: Endpoint, isPrivate: boolean): string {
  const { repository, organization, team } = one.needs;
  const kinds = [repository !== undefined, organization !== undefined, team !== undefined, isById(one)];
  return [isPrivate, ...kinds].join();
}

function targetOf(one: Endpoint, isPrivate: boolean): Promise<Target> {
  if (one.id === "adminDeleteUser") return makeTarget(one, isPrivate, one.id);
  const key = keyOf(one, isPrivate);
  const target = unchanged.get(key) ?? makeTarget(one, isPrivate, `target-${made++}`);
  unchanged.set(key, target);
  return target;
}

const isById = (one: Endpoint): boolean => one.path.startsWith("/repositories/");

async function makeTarget(one: Endpoint, isPrivate: boolean, use: string): Promise<Target> {
  const name = `${use}-${isPrivate ? "private" : "public"}`.toLowerCase();
  const org = `${made++}-${name}`.slice(0, 40).replace(/-$/, "");
  const { repository, organization, team } = one.needs;
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await api.call("POST", path, { as: owner, body });
    expect(answer.status).toBe(201);
    return String(answer.json.id);
  };
  const named = {
    owner: "owner",
    repo: name,
    template_owner: "owner",
    template_repo: name,
    diffType: "diff",
  };
  const values = {
    ...named,
    username: "owner",
    org,
    id: "1",
    index: "1",
    attachment_id: "1",
    artifact_id: "1",
    run: "1",
    runner_id: "1",
    job_id: "1",
    attempt: "1",
    team: "none",
  };
  if (one.id === "adminDeleteUser") return { ...values, username: (await api.makeUser()).name };
  if (organization !== undefined || team !== undefined) await make("/orgs", { username: org });
  const path = team === undefined ? "/user/repos" : `/orgs/${org}/repos`;
  const repositoryId = repository === undefined ? "1" : await make(path, { name, private: isPrivate });
  if (team === undefined) return isById(one) ? { ...values, id: repositoryId } : values;
  const id = await make(`/orgs/${org}/teams`, {
    name: "t",
    units: ["repo.code"],
    includes_all_repositories: true,
  });
  return { ...values, id };
}

const pathOf = (one: Endpoint, target: Target): string =>
  one.path.replace(/\{(\w+)\}/g, (_whole, name: string) => target[name] ?? "absent");

/** Registers a test for each operation and target, with callers of these kinds; of all when none are named. */
export function testAccessMatrix(names: readonly string[] = Object.keys(kinds)): void {
  beforeAll(async () => {
    api = await makeApi({ simulation: false });
    unchanged.clear();
    administrator = await api.makeUser({ name: "boss", isAdmin: true });
    owner = await api.makeUser({ name: "owner" });
    outsider = await api.makeUser({ name: "outsider" });
    guarded = await api.makeUser({ name: "guarded" });
    await issueTokens();
    code = await turnOnSecondFactor(api, guarded);
  });
  afterAll(() => api.stop());

  const chosen = Object.entries(kinds).filter(([name]) => names.includes(name));
  for (const one of endpoints) {
    const targets = one.needs.repository === undefined ? [false] : [false, true];
    for (const isPrivate of targets) {
      const target =
        one.needs.repository === undefined
          ? ""
          : isPrivate
            ? " on a private repository"
            : " on a public repository";
      it(`${one.id}${target}: each kind of caller gets what the needs promise`, async () => {
        const path = pathOf(one, await targetOf(one, isPrivate));
        for (const [caller, kind] of chosen) {
          const promise = expected(one, kind, isPrivate);
          // What such a token may do, the callers without one show.
          if (promise === "passes" && kind.token !== undefined) continue;
          const body = isRead(one) || one.body === undefined ? {} : { body: sampleBody(one) };
          const { status } = await api.call(one.method.toUpperCase(), path, {
            headers: kind.headers(),
            ...body,
          });
          if (!isRead(one) && status < 400) unchanged.delete(keyOf(one, isPrivate));
          if (promise !== "passes") expect(`${caller}: ${status}`).toBe(`${caller}: ${promise}`);
          else if (refusedLater[one.id]?.includes(kind.is) !== true)
            expect([401, 403], `${caller}: ${status}`).not.toContain(status);
          if (one.id === "userDeleteSecondFactor" && status === 204) {
            code = await turnOnSecondFactor(api, guarded);
          }
          if (one.id === "deleteCurrentToken" && status === 204) await issueTokens();
        }
      });
    }
  }
}
