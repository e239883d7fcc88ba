import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { administrator, type ServerProcess, startServer } from "#tests/support/process/server-process";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
let server: ServerProcess;
let folder: string;
let registry: string;

beforeAll(async () => {
  server = await startServer({ project });
  folder = await mkdtemp(join(tmpdir(), "coldforge-npm-"));
  registry = `${server.url}/api/packages/${administrator.name}/npm/`;
  await call("POST", "/orgs", { username: "guild", visibility: "private" });
  await writeFile(join(folder, "npmrc"), npmrc(server.token));
}, 120_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const npmrc = (token: string) =>
  [
    `registry=${registry}`,
    `@guild:registry=${server.url}/api/packages/guild/npm/`,
    `${registry.replace(/^http:/, "")}:_authToken=${token}`,
    `${server.url.replace(/^http:/, "")}/api/packages/guild/npm/:_authToken=${token}`,
    "",
  ].join("\n");

async function call(method: string, path: string, body?: object) {
  const headers = { authorization: `token ${server.token}`, "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${server.url}/api/v1${path}`, init);
  return { status: response.status, json: response.status === 204 ? undefined : await response.json() };
}

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs npm in a folder below the test's own, with a cache and settings of its own. */
async function npm(cwd: string, ...args: string[]): Promise<Outcome> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    npm_config_userconfig: join(folder, "npmrc"),
    npm_config_cache: join(folder, "cache"),
    npm_config_update_notifier: "false",
    npm_config_fund: "false",
  };
  try {
    const { stdout, stderr } = await promisify(execFile)("npm", args, { cwd: join(folder, cwd), env });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

const done = async (cwd: string, ...args: string[]): Promise<string> => {
  const { code, out, err } = await npm(cwd, ...args);
  expect([args[0], code, code === 0 ? "" : err]).toEqual([args[0], 0, ""]);
  return out;
};

/** Writes a package into a folder of its own; answers its name there. */
async function pack(name: string, version: string, more: object = {}): Promise<string> {
  const place = `${name.replace(/\W/g, "-")}-${version}`;
  await mkdir(join(folder, place), { recursive: true });
  const manifest = { name, version, description: `the thing ${name}`, main: "index.js", ...more };
  await writeFile(join(folder, place, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, place, "index.js"), `module.exports = ${JSON.stringify(version)};\n`);
  await writeFile(join(folder, place, "README.md"), `# ${name}\n`);
  return place;
}

async function consumer(name: string): Promise<string> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, "package.json"), JSON.stringify({ name, version: "0.0.0" }));
  return name;
}

const installed = async (cwd: string, name: string) =>
  JSON.parse(await readFile(join(folder, cwd, "node_modules", name, "package.json"), "utf8")).version;

describe("npm itself", () => {
  it("publishes, installs with a lock file and its integrity, and installs that again from the lock alone", async () => {
    await done(await pack("leaf", "1.0.0"), "publish");
    await done(await pack("leaf", "1.1.0"), "publish");
    await done(await pack("tree", "1.0.0", { dependencies: { leaf: "^1.0.0" } }), "publish");
    const again = await npm(await pack("leaf", "1.1.0"), "publish");
    expect([again.code, again.err]).not.toEqual([0, expect.anything()]);
    const user = await consumer("user");
    await done(user, "install", "tree");
    expect([await installed(user, "tree"), await installed(user, "leaf")]).toEqual(["1.0.0", "1.1.0"]);
    const lock = JSON.parse(await readFile(join(folder, user, "package-lock.json"), "utf8"));
    const { resolved, integrity } = lock.packages["node_modules/leaf"];
    expect(resolved).toBe(`${registry}leaf/-/1.1.0/leaf-1.1.0.tgz`);
    const bytes = Buffer.from(await (await fetch(resolved)).arrayBuffer());
    expect(integrity).toBe(`sha512-${createHash("sha512").update(bytes).digest("base64")}`);
    await rm(join(folder, "cache"), { recursive: true });
    await done(user, "ci");
    expect(await installed(user, "leaf")).toBe("1.1.0");
  });

  it("publishes and installs in a scope of a private owner, with a token; without one it is told to log in", async () => {
    await done(await pack("@guild/secret", "1.0.0"), "publish");
    const user = await consumer("member");
    await done(user, "install", "@guild/secret");
    expect(await installed(user, "@guild/secret")).toBe("1.0.0");
    await done(user, "ci");
    const stranger = await consumer("stranger");
    await writeFile(join(folder, "npmrc"), npmrc("").replaceAll(/^.*_authToken.*$/gm, ""));
    const refused = await npm(stranger, "install", "@guild/secret", "--prefer-online");
    await writeFile(join(folder, "npmrc"), npmrc(server.token));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("E401")]);
  });

  it("moves tags, shows and searches packages, deprecates a version and takes it back", async () => {
    for (const version of ["1.0.0", "2.0.0"]) await done(await pack("shown", version), "publish");
    await done(".", "dist-tag", "add", "shown@1.0.0", "stable");
    expect(await done(".", "dist-tag", "ls", "shown")).toBe("latest: 2.0.0\nstable: 1.0.0\n");
    const user = await consumer("tagged");
    await done(user, "install", "shown@stable");
    expect(await installed(user, "shown")).toBe("1.0.0");
    await done(".", "dist-tag", "rm", "shown", "stable");
    const view = JSON.parse(await done(".", "view", "shown", "--json"));
    expect(view).toMatchObject({ name: "shown", version: "2.0.0", description: "the thing shown" });
    expect([view.versions, view["dist-tags"]]).toEqual([["1.0.0", "2.0.0"], { latest: "2.0.0" }]);
    const found = JSON.parse(await done(".", "search", "shown", "--json"));
    expect(found.map(({ name, version }: { name: string; version: string }) => [name, version])).toEqual([
      ["shown", "2.0.0"],
    ]);
    await done(".", "deprecate", "shown@1.0.0", "take 2");
    expect(await done(".", "view", "shown@1.0.0", "deprecated")).toBe("take 2\n");
    await done(".", "deprecate", "shown@1.0.0", "");
    expect(await done(".", "view", "shown@1.0.0", "deprecated")).toBe("");
  });

  it("unpublishes a version, then all of a package", async () => {
    for (const version of ["1.0.0", "2.0.0"]) await done(await pack("brief", version), "publish");
    await done(".", "unpublish", "brief@2.0.0");
    expect(JSON.parse(await done(".", "view", "brief@1.0.0", "versions", "--json"))).toEqual(["1.0.0"]);
    await done(".", "unpublish", "brief", "--force");
    const gone = await npm(".", "view", "brief");
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining("E404")]);
    expect((await call("GET", "/packages/root?q=brief")).json).toEqual([]);
  });

  it("installs although nothing here knows of vulnerabilities: the probe of its audit is answered", async () => {
    await done(await pack("probed", "1.0.0"), "publish");
    const user = await consumer("prober");
    const { code, err } = await npm(user, "install", "probed", "--audit");
    expect([code, err]).toEqual([0, expect.not.stringContaining("ERR")]);
  });
});

describe("curl", () => {
  const curl = async (...args: string[]) => (await promisify(execFile)("curl", ["-sS", ...args])).stdout;
  it("uploads a file, downloads it, and goes on with a broken download", async () => {
    const [from, to] = [join(folder, "up.bin"), join(folder, "down.bin")];
    const bytes = Buffer.alloc(3_000_000, "0123456789abcdef");
    await writeFile(from, bytes);
    const url = `${server.url}/api/packages/${administrator.name}/generic/tool/1.0/up.bin`;
    const auth = ["-u", `${administrator.name}:${administrator.password}`];
    expect(await curl(...auth, "-T", from, "-w", "%{http_code}", url)).toBe("201");
    expect(await curl("-o", to, "-r", "0-999999", "-w", "%{http_code}", url)).toBe("206");
    expect(await curl("-o", to, "-C", "1000000", "-w", "%{http_code}", url)).toBe("206");
    expect((await readFile(to)).equals(bytes)).toBe(true);
  });
});
