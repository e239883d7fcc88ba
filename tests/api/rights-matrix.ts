import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "#functions/api/app";
import { Reply } from "#functions/http/answer/reply";
import type { Endpoint } from "#functions/http/endpoint";
import { isOpen } from "#functions/http/needs/needs";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeTeam } from "./organization/make.ts";
import { sampleBody } from "./sample-body.ts";

/**
 * Every operation × every kind of caller × owners of every visibility, against the rules of semantics §3, which this
 * file tells once more in plain words. Handlers are disabled, and with them their checks of rights on a thing: the test
 * is who gets as far as to them.
 */
const visibilities = ["public", "limited", "private"] as const;
type Visibility = (typeof visibilities)[number];

/** A caller's rights on one repository. `crew`: a team that reads code, writes issues, and has the repository. */
type Grant = "nothing" | "read" | "write" | "admin" | "owner" | "crew";

/** A repository, and who owns it. */
interface Target {
  readonly ownerKind: "user" | "organization";
  readonly visibility: Visibility;
  readonly isPrivate: boolean;
}

/** A caller and their rights; undefined when there is no such caller. */
const grants: Readonly<Record<string, (target: Target) => Grant | undefined>> = {
  anonymous: ({ visibility, isPrivate }) => (visibility === "public" && !isPrivate ? "read" : "nothing"),
  stranger: ({ visibility, isPrivate }) => (visibility !== "private" && !isPrivate ? "read" : "nothing"),
  restricted: () => "nothing",
  "restricted-reader": () => "read",
  reader: () => "read",
  writer: () => "write",
  administrator: () => "admin",
  crew: ({ ownerKind }) => (ownerKind === "organization" ? "crew" : undefined),
  bystander: ({ ownerKind, isPrivate }) =>
    ownerKind === "organization" ? (isPrivate ? "nothing" : "read") : undefined,
  chief: ({ ownerKind }) => (ownerKind === "organization" ? "owner" : undefined),
  owner: () => "owner",
  boss: () => "owner",
};
type CallerName = keyof typeof grants;
const collaborators = {
  "restricted-reader": "read",
  reader: "read",
  writer: "write",
  administrator: "admin",
};

const ranks = ["nothing", "read", "write", "admin", "owner"];

/** The worth of a grant on one unit, as a place in `ranks`; without a unit, on the whole. */
function worth(grant: Grant, unit: string | undefined, isPrivate: boolean): number {
  if (grant !== "crew") return ranks.indexOf(grant);
  if (unit === "issues") return ranks.indexOf("write");
  if (unit === "code" || unit === undefined) return ranks.indexOf("read");
  return ranks.indexOf(isPrivate ? "nothing" : "read");
}

/** The status of a refusal, or "passes". */
function expectedOn(one: Endpoint, caller: CallerName, target: Target, grant: Grant): number | "passes" {
  if (grant === "nothing") return 404;
  if (caller === "anonymous" && !isOpen(one.needs)) return 401;
  if (one.needs.siteAdmin === true && caller !== "boss") return 403;
  const { mode = "read", unit } = one.needs.repository ?? {};
  const units = unit === undefined ? [undefined] : [unit].flat();
  const best = Math.max(...units.map((name) => worth(grant, name, target.isPrivate)));
  const isHidden = units.some((name) => name === "issues" || name === "pulls" || name === "wiki");
  if (best < ranks.indexOf("read") && isHidden) return 404;
  return best < ranks.indexOf(mode) ? 403 : "passes";
}

/** Whether a caller knows of the organization of some visibility. */
function knowsOrganization(caller: CallerName, visibility: Visibility): boolean {
  if (["crew", "bystander", "chief", "owner", "boss"].includes(caller)) return true;
  if (caller === "anonymous") return visibility === "public";
  return !caller.startsWith("restricted") && visibility !== "private";
}

const isMember = (caller: CallerName) => ["crew", "bystander", "chief", "owner", "boss"].includes(caller);
const isOwner = (caller: CallerName) => ["owner", "boss"].includes(caller);

function expectedIn(one: Endpoint, caller: CallerName, visibility: Visibility): number | "passes" {
  if (!knowsOrganization(caller, visibility)) return 404;
  if (caller === "anonymous" && !isOpen(one.needs)) return 401;
  if (one.needs.organization === "owner" && !isOwner(caller)) return 403;
  if (one.needs.organization === "member" && !isMember(caller)) return 403;
  return "passes";
}

function expectedOfTeam(one: Endpoint, caller: CallerName, visibility: Visibility): number | "passes" {
  if (caller === "anonymous") return 401;
  if (!isMember(caller) || !knowsOrganization(caller, visibility)) return 404;
  if (one.needs.team === "owner" && !isOwner(caller)) return 403;
  if (caller !== "crew" && !isOwner(caller)) return 403;
  const needed = one.needs.repository?.mode ?? "read";
  return caller === "crew" && ranks.indexOf(needed) > ranks.indexOf("read") ? 403 : "passes";
}

let api: TestApi;
let stubbed: ReturnType<typeof createApi>;
const callers = new Map<string, Caller>();
const teams = new Map<Visibility, number>();
const ids = new Map<string, number>();

const callerOf = (name: string): Caller => {
  const caller = callers.get(name);
  if (caller === undefined) throw new Error(`there is no caller ${name}`);
  return caller;
};
const ownerName = ({ ownerKind, visibility }: Pick<Target, "ownerKind" | "visibility">) =>
  `${ownerKind}-${visibility}`;
const repositoryName = ({ isPrivate }: Pick<Target, "isPrivate">) => (isPrivate ? "shut" : "open");

const targets: readonly Target[] = (["user", "organization"] as const).flatMap((ownerKind) =>
  visibilities.flatMap((visibility) =>
    [false, true].map((isPrivate) => ({ ownerKind, visibility, isPrivate })),
  ),
);

async function makeWorld(): Promise<void> {
  for (const name of Object.keys(grants)) {
    if (name === "anonymous") continue;
    const flags = { isAdmin: name === "boss", isRestricted: name.startsWith("restricted") };
    callers.set(name, await api.makeUser({ name, ...flags }));
  }
  for (const visibility of visibilities) {
    const name = ownerName({ ownerKind: "user", visibility });
    callers.set(name, await api.makeUser({ name, visibility }));
    const organization = ownerName({ ownerKind: "organization", visibility });
    const owner = callerOf("owner");
    await makeOrganization(api, owner, organization, { visibility });
    const crew = await makeTeam(api, owner, organization, "crew", {
      units_map: { "repo.code": "read", "repo.issues": "write" },
    });
    teams.set(visibility, crew);
    await join(api, owner, crew, callerOf("crew"));
    await join(api, owner, await makeTeam(api, owner, organization, "bystanders"), callerOf("bystander"));
    const chiefs = { permission: "admin", includes_all_repositories: true };
    await join(api, owner, await makeTeam(api, owner, organization, "chiefs", chiefs), callerOf("chief"));
  }
  for (const target of targets) await makeRepository(target);
  const as = callerOf("user-public");
  for (const [name, change] of [
    ["bare", { has_issues: false, has_pull_requests: false }],
    ["old", { archived: true }],
  ] as const) {
    await api.call("POST", "/user/repos", { as, body: { name } });
    expect((await api.call("PATCH", `/repos/user-public/${name}`, { as, body: change })).status).toBe(200);
  }
}

async function makeRepository(target: Target): Promise<void> {
  const name = ownerName(target);
  const isOrganization = target.ownerKind === "organization";
  const as = callerOf(isOrganization ? "owner" : name);
  const body = { name: repositoryName(target), private: target.isPrivate };
  const path = isOrganization ? `/orgs/${name}/repos` : "/user/repos";
  const { status, json } = await api.call("POST", path, { as, body });
  expect(status).toBe(201);
  ids.set(`${name}/${body.name}`, json.id);
  for (const [who, permission] of Object.entries(collaborators)) {
    await api.call("PUT", `/repos/${name}/${body.name}/collaborators/${who}`, { as, body: { permission } });
  }
  if (isOrganization) {
    await api.call("PUT", `/teams/${teams.get(target.visibility)}/repos/${name}/${body.name}`, { as });
  }
}

const fill = (one: Endpoint, values: Readonly<Record<string, string | number | undefined>>): string =>
  one.path.replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? "1"));

/** The caller's status, or "passes" when they got as far as to the handler. */
async function ask(one: Endpoint, path: string, caller: Caller | undefined): Promise<number | "passes"> {
  const hasBody = one.body !== undefined;
  const headers = {
    ...(caller === undefined ? {} : { authorization: `token ${caller.token}` }),
    ...(hasBody ? { "content-type": one.bodyType ?? "application/json" } : {}),
  };
  const { status } = await stubbed.request(`/api/v1${path}`, {
    method: one.method.toUpperCase(),
    headers,
    ...(hasBody ? { body: JSON.stringify(sampleBody(one)) } : {}),
  });
  return status === 299 || status === 422 ? "passes" : status; // a rejected sample got past the rights
}

/** Everybody's result, as lines that can be compared at once. */
async function compare(rows: readonly (readonly [string, number | "passes", Promise<number | "passes">])[]) {
  const got: string[] = [];
  for (const [who, , answer] of rows) got.push(`${who}: ${await answer}`);
  expect(got).toEqual(rows.map(([who, promise]) => `${who}: ${promise}`));
}

/** Declares the matrix over these operations. */
export function describeRights(endpoints: readonly Endpoint[]): void {
  beforeAll(async () => {
    api = await makeApi({ simulation: false });
    await makeWorld();
    const handle = async () => new Reply(undefined, { status: 299 });
    const stubs = endpoints.map(({ returns: _returns, thingRights: _thing, ...one }) => ({ ...one, handle }));
    stubbed = createApi({ forge: api.forge, endpoints: stubs });
  });
  afterAll(() => api.stop());

  describe("rights on repositories (semantics §3.3, §3.5)", () => {
    for (const one of endpoints.filter(({ needs }) => needs.repository && !needs.team)) {
      for (const target of targets) {
        const what = `${target.isPrivate ? "private" : "public"} one of a ${target.visibility} ${target.ownerKind}`;
        it(`${one.id}: on a ${what}`, () => compareOn(one, target));
      }
    }
  });

  describe("what is switched off, and what is archived (semantics §1.8, §3.3)", () => {
    const onRepository = endpoints.filter(({ needs }) => needs.repository && !needs.team);
    for (const one of onRepository.filter(({ needs }) => needs.repository?.unit !== undefined)) {
      const units = [one.needs.repository?.unit ?? []].flat();
      if (units.some((unit) => unit !== "issues" && unit !== "pulls")) continue;
      it(`${one.id}: 404 for everybody, the owner too, where the units are off`, () =>
        compareNamed(one, "bare", { stranger: 404, "user-public": 404, boss: 404 }));
    }
    for (const one of onRepository.filter(({ refusesArchived }) => refusesArchived)) {
      it(`${one.id}: 423 for who could, 401 for anonymous callers, on an archived repository`, () =>
        compareNamed(one, "old", { anonymous: 401, "user-public": 423, boss: 423 }));
    }
  });

  describe("rights in organizations (semantics §3.4, §25)", () => {
    for (const one of endpoints.filter(({ needs }) => needs.organization && !needs.user)) {
      it.each(visibilities)(`${one.id}: in a %s one`, (visibility) => compareIn(one, visibility));
    }
    for (const one of endpoints.filter(({ needs }) => needs.team && !needs.user)) {
      it.each(visibilities)(`${one.id}: in a team of a %s one`, (visibility) =>
        compareOfTeam(one, visibility),
      );
    }
  });
}

function compareNamed(one: Endpoint, repo: string, promises: Readonly<Record<string, number>>) {
  const path = fill(one, { owner: "user-public", repo, template_owner: "user-public", template_repo: repo });
  return compare(
    Object.entries(promises).map(([name, promise]) => {
      const caller = name === "anonymous" ? undefined : callerOf(name);
      return [name, promise, ask(one, path, caller)] as const;
    }),
  );
}

const passer = (caller: string, target: Target): Caller | undefined => {
  if (caller === "anonymous") return undefined;
  return callerOf(caller === "owner" && target.ownerKind === "user" ? ownerName(target) : caller);
};

function compareOn(one: Endpoint, target: Target) {
  const [owner, repo] = [ownerName(target), repositoryName(target)];
  const path = fill(one, {
    ...{ owner, repo, template_owner: owner, template_repo: repo },
    id: one.path.startsWith("/repositories/") ? ids.get(`${owner}/${repo}`) : 1,
  });
  return compare(
    Object.entries(grants).flatMap(([name, grantOn]) => {
      const grant = grantOn(target);
      if (grant === undefined) return [];
      return [[name, expectedOn(one, name, target, grant), ask(one, path, passer(name, target))] as const];
    }),
  );
}

function compareIn(one: Endpoint, visibility: Visibility) {
  const path = fill(one, { org: ownerName({ ownerKind: "organization", visibility }) });
  return compare(
    Object.keys(grants).map((name) => {
      const caller = name === "anonymous" ? undefined : callerOf(name);
      return [name, expectedIn(one, name, visibility), ask(one, path, caller)] as const;
    }),
  );
}

function compareOfTeam(one: Endpoint, visibility: Visibility) {
  const org = ownerName({ ownerKind: "organization", visibility });
  const path = fill(one, { id: teams.get(visibility), org, repo: "shut" });
  return compare(
    Object.keys(grants).map((name) => {
      const caller = name === "anonymous" ? undefined : callerOf(name);
      return [name, expectedOfTeam(one, name, visibility), ask(one, path, caller)] as const;
    }),
  );
}
