import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { hasAdministrator } from "#core/user/administrators";
import { findUserByName } from "#core/user/find";
import { makeForge } from "#tests/support/forge";
import { administrator, type ServerProcess, startServer } from "#tests/support/process/server-process";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Runs `npm run admin` with these words; answers what it printed. */
async function admin(words: readonly string[], environment: Record<string, string>, input = "") {
  const child = spawn(process.execPath, ["infra/local/start.mjs", "admin", ...words], {
    cwd: project,
    env: { ...process.env, PASSWORD_HASH_COST: "10", ...environment },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return { code, text };
}

async function whoAmI(server: ServerProcess, authorization: string): Promise<string> {
  const response = await fetch(`${server.url}/api/v1/user`, { headers: { authorization } });
  const { login } = (await response.json()) as { login?: string };
  return response.status === 200 ? (login ?? "") : String(response.status);
}

const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

it("accounts, passwords and tokens are made while the server runs, and while it does not", async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), "coldforge-admin-"));
  let server = await startServer({ project, folder: DATA_DIR });
  try {
    const changed = await admin(["user", "change-password", "--username", "root"], { DATA_DIR });
    const password = /the password (\S+)/.exec(changed.text)?.[1] ?? "";
    expect(changed.code).toBe(0);
    expect(await whoAmI(server, basic("root", password))).toBe("root");
    expect(await whoAmI(server, basic("root", administrator.password))).toBe("401");

    await server.stop();
    const create = ["user", "create", "--username", "eve", "--email", "eve@example.org", "--admin"];
    expect(await admin([...create, "--password", "-"], { DATA_DIR }, "from-a-pipe\n")).toEqual({
      code: 0,
      text: "The administrator eve was made.\n",
    });
    const token = await admin(["user", "generate-access-token", "--username", "eve"], { DATA_DIR });
    server = await startServer({ project, folder: DATA_DIR, token: token.text.trim() });
    expect(await whoAmI(server, `token ${server.token}`)).toBe("eve");
    expect(await whoAmI(server, basic("eve", "from-a-pipe"))).toBe("eve");
  } finally {
    await server.stop();
    rmSync(DATA_DIR, { recursive: true, force: true });
  }
}, 90_000); // two servers and several commands, each a process of its own

it("the key that signs tokens of programs is replaced while the server runs, and forgotten while it does not", async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), "coldforge-admin-"));
  let server = await startServer({ project, folder: DATA_DIR });
  const keyIds = async () => {
    const response = await fetch(`${server.url}/login/oauth/keys`);
    return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  const rotate = async (...words: string[]) => {
    const { code, text } = await admin(["oauth2", "rotate-key", ...words], { DATA_DIR });
    expect([code, text]).toEqual([0, expect.stringMatching(/^[\w-]{43}\n$/)]);
    return text.trim();
  };
  try {
    const first = await rotate();
    const second = await rotate();
    expect(await keyIds()).toEqual([second, first]);
    await server.stop();
    const third = await rotate("--forget");
    server = await startServer({ project, folder: DATA_DIR, token: server.token });
    expect(await keyIds()).toEqual([third]);
  } finally {
    await server.stop();
    rmSync(DATA_DIR, { recursive: true, force: true });
  }
}, 90_000); // two servers and several commands, each a process of its own

it("the first administrator of a deployed forge is made on its table alone: no data folder, no key", async () => {
  const { forge, standIns, stop } = await makeForge();
  try {
    const environment = {
      AWS_ENDPOINT_URL_DYNAMODB: standIns.dynamodbEndpoint,
      AWS_REGION: standIns.region,
      AWS_ACCESS_KEY_ID: standIns.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: standIns.credentials.secretAccessKey,
      TABLE_NAME: forge.table.name,
      DATA_DIR: "/nowhere",
    };
    const create = ["user", "create", "--username", "root", "--email", "root@example.org", "--admin"];
    expect(await admin(create, environment)).toMatchObject({ code: 0 });
    expect(await findUserByName(forge, "root")).toMatchObject({ isAdmin: true, mustChangePassword: false });
    expect(await hasAdministrator(forge)).toBe(true);
    const elsewhere = await admin(create, { ...environment, TABLE_NAME: "not-there" });
    expect(elsewhere.text).toMatch(/^coldforge: user create: the service refused: ResourceNotFound.*\n$/);
    expect(elsewhere.code).toBe(1);
    const nobody = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_EC2_METADATA_DISABLED: "true" };
    const unknown = await admin(create, { ...environment, ...nobody, HOME: "/nowhere" });
    expect(unknown.text).toMatch(
      /^coldforge: user create: the service refused: CredentialsProviderError.*\n$/,
    );
    expect(unknown.code).toBe(1);
  } finally {
    await stop();
  }
});

it.each([
  [["users"], /there is no command "users": choose from user create, /],
  [["user", "create", "--email", "e@example.org"], /user create: --username is missing\. It is called: /],
  [["user", "create", "--name", "eve"], /user create: Unknown option '--name'\. It is called: /],
  [["user", "change-password", "--username", "eve"], /There is no data folder \/nowhere: set DATA_DIR/],
])("%j is refused in one sentence with 1", async (words, expected) => {
  const { code, text } = await admin(words, { DATA_DIR: "/nowhere" });
  expect({ code, text }).toEqual({ code: 1, text: expect.stringMatching(expected) });
  expect(text.trim().split("\n")).toHaveLength(1);
});
