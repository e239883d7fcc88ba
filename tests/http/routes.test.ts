import { describe, expect, it } from "vitest";
import { endpoint } from "#functions/http/endpoint";
import { createRoutes } from "#functions/http/routes";
import { endpoints } from "#tests/support/endpoints";

const declare = (id: string, method: "get" | "delete", path: string, slashed?: string) =>
  endpoint({
    id,
    tag: "repository",
    method,
    path,
    summary: id,
    needs: {},
    ...(slashed === undefined ? {} : { slashed: slashed as never }),
    status: 204,
    errors: [],
    handle: async () => undefined,
  });

const routes = createRoutes([
  declare("repo", "get", "/repos/{owner}/{repo}"),
  declare("searchIssues", "get", "/repos/issues/search"),
  declare("branch", "get", "/repos/{owner}/{repo}/branches/{branch}", "branch"),
  declare("deleteBranch", "delete", "/repos/{owner}/{repo}/branches/{branch}", "branch"),
  declare("branches", "get", "/repos/{owner}/{repo}/branches"),
  declare("status", "get", "/repos/{owner}/{repo}/commits/{ref}/status", "ref"),
  declare("statuses", "get", "/repos/{owner}/{repo}/commits/{ref}/statuses", "ref"),
  declare("issue", "get", "/repos/{owner}/{repo}/issues/{index}"),
  declare("hooks", "get", "/orgs/{org}/hooks/"),
]);

function found(method: string, path: string) {
  const match = routes.match(method, path);
  return match.kind === "endpoint" ? { id: match.endpoint.id, params: match.params } : match;
}

describe("routes", () => {
  it("D-RAWPATH: a name with slashes arrives the same raw, encoded, and mixed", () => {
    for (const path of ["feature/a/b", "feature%2Fa%2Fb", "feature/a%2Fb"]) {
      expect(found("GET", `/repos/o/r/branches/${path}`)).toEqual({
        id: "branch",
        params: { owner: "o", repo: "r", branch: "feature/a/b" },
      });
    }
  });

  it("D-RAWPATH: a slashed parameter in the middle leaves the end of the path alone", () => {
    for (const [path, id] of [
      ["feature/a/status", "status"],
      ["feature%2Fa/statuses", "statuses"],
    ] as const) {
      expect(found("GET", `/repos/o/r/commits/${path}`)).toEqual({
        id,
        params: { owner: "o", repo: "r", ref: "feature/a" },
      });
    }
  });

  it("D-RAWPATH: encoded marks stay part of the name", () => {
    expect(found("GET", "/repos/o/r/branches/a%3Fb%23c%20d%25")).toMatchObject({
      params: { branch: "a?b#c d%" },
    });
  });

  it("a fixed segment wins over a parameter", () => {
    expect(found("GET", "/repos/issues/search")).toMatchObject({ id: "searchIssues" });
    expect(found("GET", "/repos/issues/other")).toMatchObject({ id: "repo" });
  });

  it("a trailing slash is tolerated, also where the document writes one (D-PATHS)", () => {
    expect(found("GET", "/repos/o/r/")).toMatchObject({ id: "repo" });
    expect(found("GET", "/orgs/o/hooks")).toMatchObject({ id: "hooks" });
    expect(found("GET", "/orgs/o/hooks/")).toMatchObject({ id: "hooks" });
  });

  it("HEAD is where GET is", () => {
    expect(found("HEAD", "/repos/o/r")).toMatchObject({ id: "repo" });
  });

  it("a wrong method names the right ones", () => {
    expect(found("POST", "/repos/o/r/branches/x/y")).toEqual({
      kind: "wrong-method",
      allowed: ["GET", "HEAD", "DELETE"],
    });
  });

  it("an unknown path, a number that is none, and a malformed encoding are told apart", () => {
    expect(found("GET", "/nope")).toEqual({ kind: "unknown" });
    expect(found("GET", "/repos/o/r/issues/one")).toEqual({ kind: "unknown" });
    expect(found("GET", "/repos/o/r/issues/99999999999999999999")).toEqual({ kind: "unknown" });
    expect(found("GET", "/repos/o/r/branches/%E0%A4%A")).toEqual({ kind: "malformed" });
  });
});

describe("endpoints", () => {
  it("have unique ids, methods and paths", () => {
    const ids = endpoints.map((one) => one.id);
    const places = endpoints.map((one) => `${one.method} ${one.path}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(places).size).toBe(places.length);
  });

  it("take the kind of text off a commit's name; other dots belong to the name", () => {
    const { match } = createRoutes(endpoints);
    const commits = "/repos/o/r/git/commits";
    expect(match("GET", `${commits}/v1.2.diff`)).toMatchObject({ params: { sha: "v1.2", diffType: "diff" } });
    expect(match("GET", `${commits}/v1.final`)).toMatchObject({ params: { sha: "v1.final" } });
  });

  it("each lead to themselves", () => {
    const all = createRoutes(endpoints);
    for (const one of endpoints) {
      const values: Record<string, string> = {
        id: "7",
        index: "7",
        attachment_id: "7",
        artifact_id: "7",
        run: "7",
        runner_id: "7",
        job_id: "7",
        attempt: "1",
        diffType: "diff",
      };
      const path = one.path.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? "x");
      expect(all.match(one.method.toUpperCase(), path)).toMatchObject({
        kind: "endpoint",
        endpoint: { id: one.id },
      });
    }
  });
});
