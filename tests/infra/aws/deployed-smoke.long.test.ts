import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToken } from "#core/token/token";
import { createUser } from "#core/user/create";
import { type Edge, startEdge } from "#tests/support/edge/edge";
import type { ResponseStream } from "#tests/support/edge/response-stream";
import { type DeployedFunctions, startDeployedFunctions } from "./deployed-functions.ts";
import type { StreamedResult } from "./lambda-runtime.ts";

let deployed: DeployedFunctions;
let edge: Edge;
let folder: string;
let token: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "coldforge-deployed-git-"));
  deployed = await startDeployedFunctions();
  const { forge } = deployed.standIns;
  const ada = await createUser(forge, { name: "ada", email: "ada@example.org", password: "correct horse" });
  token = (await createToken(forge, ada, { name: "laptop", scopes: ["all"] })).text;
  const [api, git] = await Promise.all([deployed.start("Api"), deployed.start("Git")]);
  edge = await startEdge({
    api: (event: unknown) => api.invoke(event),
    git: async (event: unknown, stream: ResponseStream) => {
      const { metadata, body } = (await git.invoke(event)) as StreamedResult;
      stream.metadata = metadata;
      stream.end(Buffer.from(body, "base64"));
    },
    originSecret: deployed.secrets.OriginSecret,
  });
});
afterAll(async () => {
  await edge.stop();
  await deployed.stop();
  await rm(folder, { recursive: true });
});

const environment = {
  PATH: process.env.PATH ?? "",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

/** Runs git in a folder below the test's own and answers what it printed. */
async function git(cwd: string, ...args: string[]): Promise<string> {
  const options = { cwd: join(folder, cwd), env: { ...environment, HOME: folder } };
  const { stdout, stderr } = await promisify(execFile)("git", args, options);
  return stdout + stderr;
}

describe("the deployed functions behind the edge", () => {
  it("take a repository from creation over push to a private clone, each with its own links alone", async () => {
    const created = await fetch(`${edge.url}/api/v1/user/repos`, {
      method: "POST",
      headers: { authorization: `token ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "tale", private: true }),
    });
    expect(created.status).toBe(201);
    const { host } = new URL(edge.url);
    const remote = `http://ada:${token}@${host}/ada/tale.git`;
    await git(".", "init", "-q", "-b", "main", "work");
    await writeFile(join(folder, "work", "tale.txt"), "once upon a time\n".repeat(1_000));
    await git("work", "add", ".");
    await git("work", "commit", "-q", "-m", "begin");
    await git("work", "push", "-q", remote, "main");
    await git(".", "clone", "-q", remote, "copy");
    expect(await git("copy", "rev-parse", "HEAD")).toBe(await git("work", "rev-parse", "HEAD"));
    await git("copy", "fsck", "--strict");
    await expect(git(".", "clone", "-q", `${edge.url}/ada/tale.git`, "refused")).rejects.toThrow(
      /could not read Username/,
    );
  });

  it("answer the API: writes, lists with their headers, ETags, and names with slashes in every form (D-RAWPATH)", async () => {
    const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
      fetch(`${edge.url}/api/v1${path}`, {
        method,
        headers: { authorization: `token ${token}`, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    expect((await call("POST", "/user/repos", { name: "smoke", auto_init: true })).status).toBe(201);
    for (const title of ["one", "two", "three"]) {
      expect((await call("POST", "/repos/ada/smoke/issues", { title })).status).toBe(201);
    }
    expect((await call("POST", "/repos/ada/smoke/issues/1/comments", { body: "first" })).status).toBe(201);
    const list = await call("GET", "/repos/ada/smoke/issues?limit=2&page=1");
    expect(list.headers.get("x-total-count")).toBe("3");
    expect(list.headers.get("link")).toContain('page=2>; rel="next"');
    const etag = list.headers.get("etag") ?? "";
    const again = await call("GET", "/repos/ada/smoke/issues?limit=2&page=1", undefined, {
      "if-none-match": etag,
    });
    expect(again.status).toBe(304);
    await git(".", "clone", "-q", `${edge.url}/ada/smoke.git`, "smoke");
    const remote = `http://ada:${token}@${new URL(edge.url).host}/ada/smoke.git`;
    await git("smoke", "push", "-q", remote, "HEAD:refs/heads/feature/a#b");
    for (const name of ["feature/a%23b", "feature%2Fa%23b"]) {
      const branch = await call("GET", `/repos/ada/smoke/branches/${name}`);
      expect(await branch.json()).toMatchObject({ name: "feature/a#b" });
    }
    expect(
      (await call("POST", "/repos/ada/smoke/issues", { title: "x", body: "y".repeat(2 ** 20) })).status,
    ).toBe(413);
    expect((await call("GET", "/nope")).status).toBe(404);
  });

  it("take objects of Git LFS to their addresses and back, verify them, and keep locks (semantics §55)", async () => {
    const created = await fetch(`${edge.url}/api/v1/user/repos`, {
      method: "POST",
      headers: { authorization: `token ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "large", private: true }),
    });
    expect(created.status).toBe(201);
    const type = "application/vnd.git-lfs+json";
    const ask = async (path: string, body: object | undefined, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${edge.url}/ada/large.git/info/lfs/${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { accept: type, "content-type": type, authorization: `token ${token}`, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, headers: answer.headers, json: JSON.parse(await answer.text()) };
    };
    const stranger = await ask(
      "objects/batch",
      { operation: "download", objects: [] },
      { authorization: "" },
    );
    expect([stranger.status, stranger.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringMatching(/^Basic /),
    ]);
    const content = "large words\n".repeat(10_000);
    const object = { oid: createHash("sha256").update(content).digest("hex"), size: content.length };
    const plan = async (operation: string) =>
      (await ask("objects/batch", { operation, objects: [object] })).json.objects[0].actions;
    // Addresses name the host that the function knows; the same place is behind the edge.
    const here = (href: string) => `${edge.url}${new URL(href).pathname}`;
    const { upload, verify } = await plan("upload");
    const put = await fetch(here(upload.href), { method: "PUT", headers: upload.header, body: content });
    expect(put.status, await put.text()).toBe(200);
    const verified = await fetch(here(verify.href), {
      method: "POST",
      headers: { ...verify.header, "content-type": type },
      body: JSON.stringify(object),
    });
    expect(verified.status).toBe(200);
    const { download } = await plan("download");
    const got = await fetch(here(download.href), { headers: download.header });
    expect(await got.text()).toBe(content);
    const { json, status } = await ask("locks", { path: "a.bin" });
    expect([status, json.lock.owner.name]).toEqual([201, "ada"]);
    expect((await ask("locks", { path: "A.bin" })).status).toBe(409);
    expect((await ask("locks/verify", {})).json).toMatchObject({ ours: [{ path: "a.bin" }], theirs: [] });
    expect((await ask(`locks/${json.lock.id}/unlock`, {})).status).toBe(200);
    expect((await ask("locks", undefined)).json).toEqual({ locks: [] });
  });

  it("load the modules that few requests need, in the form in which they are packaged", async () => {
    const call = async (method: string, path: string, body: object | FormData) => {
      const isForm = body instanceof FormData;
      const headers = {
        authorization: `token ${token}`,
        ...(isForm ? {} : { "content-type": "application/json" }),
      };
      const init = { method, headers, body: isForm ? body : JSON.stringify(body) };
      const answer = await fetch(
        `${edge.url}/api/v1/repos/ada/chunks${path}`,
        method === "GET" ? { headers } : init,
      );
      return { status: answer.status, json: JSON.parse((await answer.text()) || "null") };
    };
    await fetch(`${edge.url}/api/v1/user/repos`, {
      method: "POST",
      headers: { authorization: `token ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "chunks", auto_init: true }),
    });
    // A file's bytes in S3, and YAML that is read from them.
    const content = Buffer.from(
      "name: Bug\nabout: what broke\nbody:\n- type: textarea\n  id: what\n  attributes:\n    label: What\n",
    );
    const file = { content: content.toString("base64") };
    expect((await call("POST", "/contents/.forgejo/issue_template/bug.yaml", file)).status).toBe(201);
    const templates = await call("GET", "/issue_templates", {});
    expect(templates.json).toMatchObject([{ name: "Bug" }]);
    // An expression.
    const protection = { name_pattern: "/^v[0-9]+$/", whitelist_usernames: ["ada"] };
    expect(await call("POST", "/tag_protections", protection)).toMatchObject({ status: 201 });
    // A form.
    expect((await call("POST", "/issues", { title: "one" })).status).toBe(201);
    const form = new FormData();
    form.set("attachment", new File(["words"], "words.txt"));
    expect(await call("POST", "/issues/1/assets", form)).toEqual({
      status: 201,
      json: expect.objectContaining({ name: "words.txt" }),
    });
  });

  it("hold no module that can't be loaded where they lie", async () => {
    for (const name of deployed.names) {
      const paths = deployed.modules(name).slice(1);
      const source = paths.map((path) => `await import(${JSON.stringify(path)});`).join("\n");
      await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", source], {
        cwd: folder,
        env: {},
      });
    }
  });

  it("403: refuse who comes to the functions past the router", async () => {
    const direct = await deployed.start("Git");
    const event = {
      version: "2.0",
      rawPath: "/ada/tale.git/info/refs",
      rawQueryString: "service=git-upload-pack",
      headers: { host: "git.lambda-url.example" },
      requestContext: { domainName: "git.lambda-url.example", http: { method: "GET" } },
      isBase64Encoded: false,
    };
    const { metadata } = (await direct.invoke(event)) as StreamedResult;
    expect(metadata.statusCode).toBe(403);
  });
});
