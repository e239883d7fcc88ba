import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { checkTable } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import type { Endpoint } from "#functions/http/endpoint";
import { type DocumentedOperation, openApiDocument } from "#functions/openapi/openapi";
import { documentedPath } from "#functions/openapi/openapi-route";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { endpoints } from "#tests/support/endpoints";
import { createRandom, type Random } from "#tests/support/random";
import { Pool, ValueMaker } from "./values.ts";

/**
 * Random requests made from the interface document and from values of earlier answers, by callers of every kind: each
 * answer is one that the document promises (`checkContract`), none is a 500, and in the end the data keeps every
 * invariant.
 */
const document = await openApiDocument(endpoints, readConfig({}));
const onePixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A public key whose private half nobody has. */
function ed25519(filler: string): string {
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const wire = Buffer.concat([part(Buffer.from("ssh-ed25519")), part(Buffer.alloc(32, filler))]);
  return `ssh-ed25519 ${wire.toString("base64")}`;
}

const rounds = 4;
const requestsPerRound = 300;

let api: TestApi;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
});
afterAll(() => api.stop());

interface World {
  readonly random: Random;
  readonly pool: Pool;
  readonly values: ValueMaker;
  /** Nobody is null. */
  readonly callers: readonly (Caller | null)[];
}

/** Members of bodies whose form the name alone doesn't determine. */
const wellFormed: Readonly<Record<string, readonly string[]>> = {
  "contents/content": [Buffer.from("words\n").toString("base64")],
  "reactions/content": ["+1", "heart", "rocket"],
  "hooks/url": ["http://192.0.2.9/", "https://example.com/hook"],
  "hooks/content_type": ["json", "form"],
  "keys/key": [ed25519("a"), ed25519("b"), ed25519("c")],
  "labels/color": ["#00aabb", "ee0701"],
  "teams/units": ["repo.code", "repo.issues"],
  "tokens/scopes": ["all", "read:repository"],
  "statuses/state": ["success", "failure", "pending"],
  "generate/owner": [""],
  content_base64: [Buffer.from("A page\n").toString("base64")],
  branch: ["main", "topic"],
  email: ["someone@example.com", "other@example.com"],
  emails: ["third@example.com"],
  events: ["push", "issues"],
  flags: ["seen"],
  image: [onePixel],
  new_branch: ["another", "third"],
  old_ref_name: ["main"],
  operation: ["create", "update", "delete"],
  password: ["correct-horse-9"],
  path: ["README.md", "src/new.ts"],
  permission: ["read", "write", "admin"],
  ref: ["main", "topic", "v1"],
  state: ["open", "closed"],
  target: ["main", "topic"],
  time: ["60"],
  topics: ["words"],
};

async function makeWorld(random: Random, round: number): Promise<World> {
  const pool = new Pool(random);
  const [owner, admin, friend] = await Promise.all([
    api.makeUser({ name: `owner-${round}` }),
    api.makeUser({ name: `admin-${round}`, isAdmin: true }),
    api.makeUser({ name: `friend-${round}` }),
  ]);
  const say = async (method: string, path: string, body?: object) => {
    const { json } = await api.call(method, path, { as: owner, body });
    pool.learn(json, nounBefore(path));
  };
  for (const name of ["code", "more"]) {
    await makeRepository(api, owner, name);
    await pushFiles(api, owner, name, { files: { "README.md": "# Words\n", "src/a.ts": "let a = 1;\n" } });
    await pushFiles(api, owner, name, {
      files: { "src/b.ts": "let b = 2;\n" },
      branch: "topic",
      from: "main",
    });
    const path = `/repos/${owner.name}/${name}`;
    for (const title of ["one", "two", "three"]) await say("POST", `${path}/issues`, { title, body: "#1" });
    await say("POST", `${path}/issues/1/comments`, { body: "words" });
    await say("POST", `${path}/labels`, { name: "kind/bug", color: "#aabbcc" });
    await say("POST", `${path}/milestones`, { title: "soon" });
    await say("POST", `${path}/tags`, { tag_name: "v1", target: "main" });
    await say("POST", `${path}/branch_protections`, { rule_name: "main" });
    await say("PUT", `${path}/collaborators/${friend.name}`, { permission: "write" });
    await say("POST", `${path}/hooks`, {
      type: "gitea",
      config: { url: "http://192.0.2.9/", content_type: "json" },
    });
    await say("GET", `${path}/commits`);
  }
  await say("POST", "/orgs", { username: `org-${round}` });
  await say("POST", `/orgs/org-${round}/teams`, { name: "crew", units: ["repo.code"] });
  for (const { name } of [owner, admin, friend])
    for (const noun of ["users", "members", "collaborators", "assignees", "following", "blocks"])
      pool.learn({ login: name, username: name }, noun);
  for (const [name, texts] of Object.entries(wellFormed)) for (const text of texts) pool.add(name, text);
  return {
    random,
    pool,
    values: new ValueMaker(random, pool, document.components.schemas),
    callers: [owner, owner, owner, owner, admin, friend, null],
  };
}

/** Names under which answers give the value of a path's parameter. */
const alike: Readonly<Record<string, readonly string[]>> = {
  index: ["number"],
  username: ["login", "username"],
  user: ["login"],
  collaborator: ["login"],
  assignee: ["login"],
  sha: ["sha", "id"],
  ref: ["sha", "name"],
  branch: ["name"],
  tag: ["name"],
  name: ["name", "rule_name"],
  pageName: ["sub_url"],
  label: ["id", "name"],
  milestone: ["id", "title"],
  user_id: ["id"],
  topic: ["name"],
};

/** The noun of a place in a path: the last fixed part before it, such as `labels`. */
const nounBefore = (path: string, at = path.length): string | undefined =>
  path
    .slice(0, at)
    .match(/[a-z_-]+(?=\/[^/]*$|$)/g)
    ?.at(-1);

/** When nearly every request goes to one place, others are seldom found. */
function pathOf({ path }: Endpoint, { random, values, pool }: World, round: number): string {
  const usual: Readonly<Record<string, string>> = {
    owner: `owner-${round}`,
    repo: random.pick(["code", "more"]),
    org: `org-${round}`,
    filepath: random.pick(["README.md", "src/a.ts", "src", `new-${random.integer(9)}.md`]),
    basehead: random.pick(["main...topic", "topic..main"]),
    archive: random.pick(["main.zip", "topic.tar.gz", "v1.bundle"]),
  };
  values.noun = nounBefore(path);
  return path.replace(/\{(\w+)\}/g, (_whole, name: string, at: number) => {
    const noun = nounBefore(path, at);
    const known = usual[name] ?? pool.find(...[name, ...(alike[name] ?? [])].map((one) => `${noun}/${one}`));
    const text = known === undefined || random.chance(0.03 + values.hostility) ? values.text(name) : known;
    return encodeURIComponent(text.replace(/[\ud800-\udfff]/g, "x"));
  });
}

function queryOf({ parameters = [] }: DocumentedOperation, { random, values }: World): string {
  const query = new URLSearchParams();
  for (const one of parameters) {
    if (one.in !== "query" || !random.chance(0.3)) continue;
    const value = values.make(one.schema, one.name);
    query.append(one.name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}

async function ask(one: Endpoint, world: World, round: number): Promise<number> {
  const { random, values, pool } = world;
  const operation = document.paths[documentedPath(one)]?.[one.method];
  if (operation === undefined) throw new Error(`${one.id} is not documented`);
  values.hostility = random.pick([0, 0, 0, 0.1]);
  const path = pathOf(one, world, round) + queryOf(operation, world);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body = schema === undefined ? undefined : values.make(schema, "");
  const as = random.pick(world.callers);
  const told = `${one.method.toUpperCase()} ${path} by ${as?.name ?? "nobody"} with ${JSON.stringify(body)}`;
  try {
    const { status, json, text } = await api.call(one.method.toUpperCase(), path, {
      as: as ?? undefined,
      body,
    });
    if (status < 300) pool.learn(json, nounBefore(one.path));
    if (status >= 500) throw new Error(text);
    return status;
  } catch (error) {
    throw new Error(`${told}: ${(error as Error).message}`, { cause: error });
  }
}

/** Operations that need the rendering thread, which this forge lacks. */
const isRendering = ({ id }: Endpoint) => /^(repoR|r)enderMark/.test(id);

/** Operations that remove callers or their repositories are seldom tried. */
const endings = new Set([
  "adminDeleteUser",
  "adminEditUser",
  "adminRenameUser",
  "deleteCurrentToken",
  "orgDelete",
  "orgEdit",
  "renameOrg",
  "repoDelete",
  "repoEdit",
  "repoTransfer",
]);

function pickEndpoint(random: Random): Endpoint {
  const one = random.pick(endpoints);
  const isSkipped = isRendering(one) || (endings.has(one.id) && random.chance(0.9));
  return isSkipped ? pickEndpoint(random) : one;
}

it.each(Array.from({ length: rounds }, (_, round) => round))(
  "any request gets an answer that the interface document promises, and the data stays sound (round %i)",
  async (round) => {
    const random = createRandom();
    const world = await makeWorld(random, round);
    const statuses = new Set<number>();
    for (let count = 0; count < requestsPerRound; count += 1)
      statuses.add(await ask(pickEndpoint(random), world, round));
    expect([...statuses], `seed ${random.seed}`).toEqual(
      expect.arrayContaining([200, 201, 204, 401, 403, 404, 422]),
    );
    const findings: Finding[] = [];
    for await (const one of checkTable(api.forge)) findings.push(one);
    expect(findings, `seed ${random.seed}`).toEqual([]);
  },
);
