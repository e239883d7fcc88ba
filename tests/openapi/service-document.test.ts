import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { isOpen } from "#functions/http/needs/needs";
import { type DocumentedOperation, type JsonSchema, openApiDocument } from "#functions/openapi/openapi";
import { makeApi, type TestApi } from "#tests/support/api";
import { endpoints } from "#tests/support/endpoints";

/** A row of `docs/spec/requirements.json`. */
interface Row {
  readonly key: string;
  readonly where: string;
  readonly requirement: string;
}

const document = await openApiDocument(endpoints, readConfig({}));
const requirements: readonly Row[] = JSON.parse(
  readFileSync(new URL("../../docs/spec/requirements.json", import.meta.url), "utf8"),
);
const operationRows = requirements.filter(({ key }) => key.startsWith("OP-"));
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

let api: TestApi;
beforeAll(async () => {
  api = await makeApi();
});
afterAll(() => api.stop());

/** A path whatever its parameters are called (D-PARAMS). */
const shapeOf = (path: string) => path.replace(/\{\w+\}/g, "{}").replace(/\/$/, "");

/** The name of a schema, or `…List` of an array's, as the service document calls them. */
function nameOf(schema: JsonSchema | undefined): string {
  const { $ref, items, anyOf, type } = (schema ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof $ref === "string") return $ref.split("/").at(-1) ?? "";
  if (items !== undefined) return `${nameOf(items as JsonSchema)}List`;
  return anyOf === undefined ? String(type) : (anyOf as JsonSchema[]).map(nameOf).join(" or ");
}

/** Schemas whose name today is another one than the service document's. */
const renamed: Readonly<Record<string, string>> = { MigrateRepoForm: "MigrateRepoOptions" };

/** Operations of the service document that answer 200 without a body: it says so, or shows no answer. */
const withoutBody = ["repoMergePullRequest", "repoMirrorSync"];

/** Those of the service document, one that it lists and the family deprecated since, and one of the family's own. */
const deprecated = [
  ...["issueDeleteCommentDeprecated", "issueEditCommentDeprecated"],
  ...["createOrgRepo", "userTrackedTimes"],
];

/** Semantics §32. */
const createRepositoryFields = [
  ...["name", "description", "private", "issue_labels", "auto_init", "template", "gitignores", "license"],
  ...["readme", "default_branch", "trust_model", "object_format_name"],
];
const migrateFields = [
  ...["clone_addr", "uid", "repo_owner", "repo_name", "service", "auth_username", "auth_password"],
  ...["auth_token", "mirror", "lfs", "lfs_endpoint", "private", "description", "wiki", "milestones"],
  ...["labels", "issues", "pull_requests", "releases", "mirror_interval"],
];

const moreOfPullRequests = [
  ...["repoUpdatePullRequest", "repoCancelScheduledAutoMerge", "repoGetPullRequestCommits"],
  ...["repoGetPullRequestFiles", "repoDownloadPullDiffOrPatch", "repoGetPullRequestByBaseHead"],
  ...["repoListPinnedPullRequests", "repoCreatePullReview", "repoListPullReviews", "repoSubmitPullReview"],
  ...["repoCreatePullReviewRequests", "repoGetReviewers"],
];

const contentOf = ({ responses }: DocumentedOperation, status: string) =>
  Object.entries(responses[status]?.content ?? {});

describe("operations of the service document", () => {
  it.each(operationRows)("$key: its path, body, answers and refusals", ({ key, where, requirement }) => {
    const [method = "", path = ""] = where.split(" ");
    const found = operations.find(({ operation }) => operation.operationId === key.slice("OP-".length));
    expect([found?.method, shapeOf(found?.path ?? "")]).toEqual([method.toLowerCase(), shapeOf(path)]);
    const { operation } = found as { operation: DocumentedOperation };
    const [, body] = /\bbody (\w+(?:Option|Form))\b/.exec(requirement) ?? [];
    if (body !== undefined) {
      const bodies = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => nameOf(schema));
      expect(bodies, requirement).toContain(renamed[body] ?? body);
    }
    for (const status of requirement.match(/\b[2-5]\d\d\b/g) ?? []) {
      expect(Object.keys(operation.responses), requirement).toContain(status);
    }
    const [, status = "", schema = ""] = /\b(2\d\d) ([A-Z]\w+|boolean|empty)/.exec(requirement) ?? [];
    if (schema === "empty") expect(contentOf(operation, status), requirement).toEqual([]);
    else if (schema !== "") {
      const names = contentOf(operation, status).map(([, content]) => nameOf(content.schema));
      expect(names.join(), requirement).toContain(renamed[schema] ?? schema);
    }
  });
});

describe("the interface of the service document", () => {
  it("is JSON over HTTP below {base_url}/api/v1, with operations for each of its nouns (GEN-1, VER-1)", async () => {
    const settings = { ROOT_URL: "https://forge.example/sub" };
    const { servers } = (await openApiDocument([], readConfig(settings))) as unknown as {
      servers: readonly { url: string }[];
    };
    expect(servers).toEqual([{ url: "https://forge.example/sub/api/v1" }]);
    const paths = operations.map(({ path }) => path);
    const nouns = ["/users/", "/orgs/", "/teams/", "/repos/", "/issues/", "/pulls/", "/quota"];
    for (const noun of nouns) expect(paths.some((path) => path.includes(noun))).toBe(true);
    const answer = await api.call("GET", "/version");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "application/json;charset=utf-8",
    ]);
    expect((await api.app.request("/version")).status).toBe(404);
  });

  it("has operations under each of its five tags, and quotas of users and organizations (GEN-3)", () => {
    const tags = new Set(operations.flatMap(({ operation }) => operation.tags));
    for (const tag of ["admin", "miscellaneous", "organization", "repository", "issue"]) {
      expect(tags).toContain(tag);
    }
    const paths = operations.map(({ path }) => path);
    for (const end of ["", "/check", "/attachments", "/packages", "/artifacts"]) {
      expect(paths).toEqual(expect.arrayContaining([`/user/quota${end}`, `/orgs/{org}/quota${end}`]));
    }
  });

  it("lets administrators alone call what lies under /admin (OPX-adminOnly)", async () => {
    const others = endpoints.filter(
      ({ path, needs }) => path.startsWith("/admin/") && needs.siteAdmin !== true,
    );
    expect(others.map(({ id }) => id)).toEqual([]);
    const caller = await api.makeUser();
    const admin = endpoints.filter(({ path }) => path.startsWith("/admin/"));
    expect(admin.length).toBeGreaterThan(40);
    for (const { method, path } of admin) {
      const asked = path.replace(/\{\w+\}/g, "1");
      const body = method === "get" ? {} : { body: {} };
      const { status } = await api.call(method.toUpperCase(), asked, { as: caller, ...body });
      expect([method, path, status]).toEqual([method, path, 403]);
    }
  });

  it("has names as texts, and id and index as numbers, in paths (OPX-types)", () => {
    const types = new Map<string, Set<unknown>>();
    for (const { operation } of operations) {
      for (const { in: place, name, schema } of operation.parameters ?? []) {
        if (place === "path") types.set(name, (types.get(name) ?? new Set()).add(schema.type));
      }
    }
    const texts = ["owner", "repo", "org", "username", "collaborator", "ref", "branch"];
    for (const name of texts) expect([name, ...(types.get(name) ?? [])]).toEqual([name, "string"]);
    for (const name of ["id", "index"]) expect([name, ...(types.get(name) ?? [])]).toEqual([name, "integer"]);
  });

  it("answers 200, 201 and 202 with a body, and 204 with none (ERR-200, ERR-204)", () => {
    const listed = operations.filter(({ operation }) =>
      operationRows.some(({ key }) => key === `OP-${operation.operationId}`),
    );
    const empty = listed.filter(({ operation }) =>
      ["200", "201", "202"].some(
        (status) => operation.responses[status] !== undefined && contentOf(operation, status).length === 0,
      ),
    );
    expect(empty.map(({ operation }) => operation.operationId).sort()).toEqual(withoutBody);
    const full = operations.filter(({ operation }) => contentOf(operation, "204").length > 0);
    expect(full.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it("marks what is deprecated, and names no day on which it ends (VER-3a, VER-4)", () => {
    const ids = operations
      .filter(({ operation }) => operation.deprecated)
      .map((one) => one.operation.operationId);
    expect(ids.sort()).toEqual(deprecated.toSorted());
    expect(JSON.stringify(document)).not.toMatch(/sunset|will be removed|deprecated (?:since|until)/i);
  });

  it("has the fields of semantics §32 in bodies, all of them named (NS-8)", () => {
    const { schemas } = document.components;
    const fieldsOf = (name: string) => Object.keys((schemas[name]?.properties ?? {}) as object);
    const bodies = operationRows.flatMap(
      ({ requirement }) => /\bbody (\w+Option)\b/.exec(requirement)?.[1] ?? [],
    );
    for (const name of bodies) expect([name, fieldsOf(name).length > 0]).toEqual([name, true]);
    expect(fieldsOf("CreateRepoOption")).toEqual(expect.arrayContaining(createRepositoryFields));
    expect(fieldsOf("MigrateRepoOptions")).toEqual(expect.arrayContaining(migrateFields));
  });

  it("says of each operation whether it needs a login, and by which schemes (NS-9, semantics §2)", () => {
    const { securitySchemes } = document.components as unknown as {
      securitySchemes: Readonly<Record<string, { readonly type: string }>>;
    };
    expect(Object.values(securitySchemes).map(({ type }) => type)).toEqual(
      expect.arrayContaining(["http", "apiKey"]),
    );
    for (const { operation } of operations) {
      const { security = [] } = operation as { security?: readonly object[] };
      const [one] = endpoints.filter(({ id }) => id === operation.operationId);
      const isOpenHere = security.some((choice) => Object.keys(choice).length === 0);
      expect([operation.operationId, isOpenHere]).toEqual([operation.operationId, one && isOpen(one.needs)]);
      expect(security.length).toBeGreaterThan(1);
      const takesTokens = security.some((choice) => "AuthorizationHeaderToken" in choice);
      expect([operation.operationId, takesTokens]).toEqual([
        operation.operationId,
        one?.needs.ownPassword === undefined,
      ]);
      for (const name of security.flatMap(Object.keys)) expect(securitySchemes).toHaveProperty(name);
    }
  });

  it("goes on after the pull request merge entry with what semantics §21 and §45 list (NS-6)", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).toEqual(expect.arrayContaining(moreOfPullRequests));
  });
});
