import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { SettingError } from "#core/config/setting";
import { remove } from "#core/table/write";
import { readCertificate } from "#infra/local/http/certificate";
import { readLauncherConfig, rootUrlOf } from "#infra/local/settings";
import { StartError } from "#infra/local/start-error";
import { writeBeside } from "#tests/support/process/beside-server";
import { type ServerProcess, startServer } from "#tests/support/process/server-process";
import { selfSigned } from "#tests/support/servers/receiver";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
let server: ServerProcess;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "coldforge-start-"));
  server = await startServer({ project });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts with these settings, waits for the end, and answers what it printed. */
const failingStart = (environment: Record<string, string>) =>
  run(["infra/local/start.mjs"], { DATA_DIR: join(folder, "data"), PORT: "0", ...environment });

/** Runs a program of the project to its end; answers what it printed. */
async function run(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ code: number; text: string }> {
  const child = spawn(process.execPath, args, {
    cwd: project,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(child, "close");
  return { code, text };
}

describe("a start that can't succeed says why in one line and ends with 1", () => {
  it("a data folder in use: who holds it", async () => {
    const { code, text } = await failingStart({ DATA_DIR: server.folder });
    expect(code).toBe(1);
    expect(text).toContain(String(server.pid));
    expect(text).toContain(server.folder);
  });

  it("a data folder that can't be written: names it and DATA_DIR", async () => {
    const blocked = join(folder, "a-file");
    writeFileSync(blocked, "");
    const { code, text } = await failingStart({ DATA_DIR: join(blocked, "data") });
    expect(code).toBe(1);
    expect(text).toMatch(/DATA_DIR/);
    expect(text).toContain(blocked);
  });

  it("data from before format 1: what to do; check-data looks at nothing either", async () => {
    const older = await startServer({ project, folder: join(folder, "older") });
    await writeBeside(older.folder, remove({ pk: "SYS", sk: "FORMAT" }));
    await older.stop();
    const { code, text } = await failingStart({ DATA_DIR: older.folder });
    expect(code).toBe(1);
    expect(text).toMatch(
      /^coldforge: The data in .*older is from before format 1, and this version reads format 1 to 2: start on a new DATA_DIR .*\n$/,
    );
    const checked = await run(["infra/local/start.mjs", "check-data"], { DATA_DIR: older.folder });
    expect([checked.code, checked.text]).toEqual([1, text]);
  });

  it("a port in use: names PORT, and nothing was made", async () => {
    const DATA_DIR = join(folder, "untouched");
    const { code, text } = await failingStart({ PORT: new URL(server.url).port, DATA_DIR });
    expect(code).toBe(1);
    expect(text).toMatch(/^coldforge: .*in use.*PORT.*\n$/);
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it("a file where a folder of the data should be, and a damaged key: names it", async () => {
    const [blocked, damaged] = [join(folder, "blocked"), join(folder, "damaged")];
    for (const path of [blocked, damaged]) mkdirSync(path);
    writeFileSync(join(blocked, "objects"), "");
    writeFileSync(join(damaged, "secret-key"), "half a k");
    const tries = await Promise.all([blocked, damaged].map((DATA_DIR) => failingStart({ DATA_DIR })));
    expect(tries[0]?.text).toMatch(/^coldforge: Can't write to .*objects.*DATA_DIR.*\n$/);
    expect(tries[1]?.text).toMatch(/^coldforge: .*secret-key is damaged: .*\n$/);
    expect(tries.map(({ code }) => code)).toEqual([1, 1]);
  });

  it("TLS files that are swapped, missing or not of one pair: names the setting and the file", async () => {
    const [cert, key, other] = ["cert.pem", "key.pem", "other.pem"].map((name) => join(folder, name));
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writeFileSync(cert ?? "", selfSigned.cert);
    writeFileSync(key ?? "", selfSigned.key);
    writeFileSync(other ?? "", privateKey.export({ type: "pkcs8", format: "pem" }));
    const pairs = [
      [key, cert],
      [cert, other],
      [cert, join(folder, "nowhere.pem")],
    ];
    const [swapped, ofOther, missing] = pairs.map(
      ([certificate = "", itsKey = ""]) =>
        () =>
          readCertificate(certificate, itsKey),
    );
    expect(ofOther).toThrow(/^setting TLS_KEY: the key in .*other\.pem is not that of .*$/);
    expect(ofOther).toThrow(StartError);
    expect(missing).toThrow(/^setting TLS_KEY: can't read .*nowhere\.pem: .*$/);
    expect(missing).toThrow(StartError);
    expect(swapped).toThrow(StartError);
    const { code, text } = await failingStart({ TLS_CERT: key ?? "", TLS_KEY: cert ?? "" });
    expect(code).toBe(1);
    expect(text).toMatch(/^coldforge: setting TLS_CERT: .*key\.pem holds no certificate.*swapped\?\n$/);
  });

  it("services that the operator names and that can't be used: names the setting", async () => {
    const tries = await Promise.all([
      failingStart({ AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:1" }),
      failingStart({ AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1", DATA_DIR: join(folder, "no-s3") }),
    ]);
    expect(tries[0]?.text).toMatch(/^coldforge: setting AWS_ENDPOINT_URL_DYNAMODB: .*127\.0\.0\.1:1.*\n$/);
    expect(tries[1]?.text).toMatch(/^coldforge: setting AWS_ENDPOINT_URL_S3: .*BUCKET_NAME.*\n$/);
    expect(tries.map(({ code }) => code)).toEqual([1, 1]);
  });

  it("packages of another version: names one that is missing, and npm ci", async () => {
    const checkout = join(folder, "upgraded");
    for (const name of ["core", "functions/threads", "node_modules"])
      mkdirSync(join(checkout, name), { recursive: true });
    for (const name of [
      "infra/local/start.mjs",
      "infra/local/bundle.mjs",
      "package.json",
      "package-lock.json",
    ])
      cpSync(join(project, name), join(checkout, name));
    symlinkSync(join(project, "node_modules", "esbuild"), join(checkout, "node_modules", "esbuild"));
    writeFileSync(join(checkout, "functions/threads/compute-thread.ts"), "");
    writeFileSync(join(checkout, "infra/local/main.ts"), 'import "added-by-an-upgrade";');
    const { code, text } = await run([join(checkout, "infra/local/start.mjs")]);
    expect(code).toBe(1);
    expect(text).toMatch(/^coldforge: its packages are not those .*"added-by-an-upgrade".*npm ci.*\n$/);
  });

  it("a folder for the bundled program that can't be written", async () => {
    const checkout = join(folder, "checkout");
    for (const name of ["core", "functions"]) mkdirSync(join(checkout, name), { recursive: true });
    for (const name of [
      "infra/local/start.mjs",
      "infra/local/bundle.mjs",
      "package.json",
      "package-lock.json",
    ])
      cpSync(join(project, name), join(checkout, name));
    writeFileSync(join(checkout, ".build"), "");
    const { code, text } = await run([join(checkout, "infra/local/start.mjs")]);
    expect(code).toBe(1);
    expect(text).toMatch(/^coldforge: Can't write the bundled program to .*\.build: .*\n$/);
  });

  it("a malformed setting, and a first administrator that can't be", async () => {
    const tries = await Promise.all([
      failingStart({ PORT: "many" }),
      failingStart({ ADMIN_USER: "not a name", DATA_DIR: join(folder, "other") }),
    ]);
    const [malformed, impossible] = tries;
    expect(malformed?.text).toBe(
      'coldforge: setting PORT: expected a port number from 0 to 65535, got "many"\n',
    );
    expect(impossible?.text).toMatch(/^coldforge: .*ADMIN_USER.*\[Username\].*\n$/);
    expect(tries.map(({ code }) => code)).toEqual([1, 1]);
  });
});

describe("settings", () => {
  it.each([
    [{ PORT: "70000" }, /setting PORT: expected a port number/],
    [{ REQUIRE_SIGNIN_VIEW: "perhaps" }, /setting REQUIRE_SIGNIN_VIEW/],
    [
      { MIN_PASSWORD_LENGTH: "0" },
      /setting MIN_PASSWORD_LENGTH: expected a whole number from 1 to 255, got "0"/,
    ],
    [{ ROOT_URL: "forge.example.org" }, /setting ROOT_URL: expected a URL/],
    [{ DEFAULT_BRANCH: "a..b" }, /setting DEFAULT_BRANCH/],
    [{ HOST: "0.0.0.0" }, /setting HOST: .*TLS_CERT.*ALLOW_INSECURE/],
    [{ TLS_CERT: "/nowhere.pem" }, /setting TLS_KEY: TLS_CERT and TLS_KEY must be set together/],
    [{ SECRET_KEY: "hunter2" }, /setting SECRET_KEY: expected 32 bytes in base64, .*openssl(?!.*hunter2)/],
    [{ TRUSTED_PROXIES: "10.0.0.0/8,proxy" }, /setting TRUSTED_PROXIES: proxy is neither an address such as/],
    [
      { AWS_ENDPOINT_URL_DYNAMODB: "localhost:8000" },
      /AWS_ENDPOINT_URL_DYNAMODB: expected a URL .* such as http:/,
    ],
    [{ AWS_ENDPOINT_URL_S3: "minio" }, /setting AWS_ENDPOINT_URL_S3: expected a URL/],
    [{ AWS_ENDPOINT_URL_SQS: "ftp://queues" }, /setting AWS_ENDPOINT_URL_SQS: expected a URL/],
    [{ AWS_ENDPOINT_URL_SQS: "http://127.0.0.1:9324" }, /setting WEBHOOKS_QUEUE_URL: .* such as http:/],
    [{ WEBHOOKS_QUEUE_URL: "webhooks" }, /setting WEBHOOKS_QUEUE_URL: expected a URL/],
    [{ TABLE_NAME: "a b" }, /setting TABLE_NAME: expected/],
    [{ BUCKET_NAME: "Forge_Bucket" }, /setting BUCKET_NAME: expected/],
  ])("%j is refused by its name", (environment, expected) => {
    const read = () => [readLauncherConfig(environment), readConfig(environment)];
    expect(read).toThrow(expected);
    expect(read).toThrow(SettingError);
  });

  it("an address that is not loopback is fine with https of its own, of a proxy, or when told so", () => {
    const rootUrl = (environment: Record<string, string>) =>
      rootUrlOf(readLauncherConfig({ HOST: "0.0.0.0", ...environment }), 3000);
    expect(rootUrl({ TLS_CERT: "c", TLS_KEY: "k" })).toBe("https://localhost:3000");
    expect(rootUrl({ ROOT_URL: "https://forge.example/" })).toBe("https://forge.example");
    expect(rootUrl({ ALLOW_INSECURE: "true" })).toBe("http://localhost:3000");
  });
});

describe("commands", () => {
  it.each([
    [["infra/local/start.mjs", "sreve"], /^coldforge: there is no command sreve\..*\n$/],
    [["infra/local/start.mjs", "config", "PORT"], /^coldforge: config takes no argument PORT\..*\n$/],
    [["tests/bench/run.mjs", "gti"], /^coldforge: the bench has no part gti: choose from .*requests.*\n$/],
    [["tests/faults/run.mjs", "many"], /^coldforge: crash-test takes a number of rounds.*\n$/],
  ])("%j is refused in one sentence with 1", async (args, expected) => {
    expect(await run(args)).toEqual({ code: 1, text: expect.stringMatching(expected) });
  });

  it.each(["infra/local/start.mjs", "tests/bench/run.mjs", "tests/faults/run.mjs"])(
    "%s --help: how it is called",
    async (program) => {
      expect(await run([program, "--help"])).toEqual({
        code: 0,
        text: expect.stringMatching(/^npm (run|start)/),
      });
    },
  );
});

describe("npm run config", () => {
  it("shows each setting with its value, source and default, and no secret", async () => {
    const child = spawn(process.execPath, ["infra/local/start.mjs", "config"], {
      cwd: project,
      env: { ...process.env, MIN_PASSWORD_LENGTH: "12", ADMIN_PASSWORD: "do not show" },
    });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    await once(child, "close");
    expect(text).toMatch(/MIN_PASSWORD_LENGTH +12 +environment +8/);
    expect(text).toMatch(/ADMIN_PASSWORD +\(set\) +environment/);
    expect(text).toMatch(/DATA_DIR +\.data +default +\.data/);
    expect(text).not.toContain("do not show");
  });
});
