import { createHash, randomBytes } from "node:crypto";
import { loadavg } from "node:os";
import { countedBy, type Forge } from "#core/forge";
import { countInto, noUsage } from "#core/meter";
import { createRepository } from "#core/repository/create";
import { createToken } from "#core/token/token";
import { createUser } from "#core/user/create";
import { besideGit } from "#functions/files/beside-git";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { makeForge } from "../../support/forge.ts";
import { onItsOwn } from "../apart.ts";
import type { BenchContext, Figures } from "../bench.ts";
import { largeFileRows } from "./large-file.ts";

const objects = 1_000;
/** As many as git-lfs names in one batch. */
const perBatch = 100;
const type = "application/vnd.git-lfs+json";

/** What each object of a push and of a clone of 1,000 asks for and takes, and 100 MB beside a bare server of files. */
export async function lfsFigures(context: BenchContext): Promise<Figures> {
  const load = loadavg()[0]?.toFixed(1);
  const large = await largeFileRows(context, async (server, { sha256, sizeBytes }) => {
    const made = await fetch(`${server.url}/api/v1/user/repos`, {
      method: "POST",
      headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "large" }),
    });
    const { full_name: name } = (await made.json()) as { full_name: string };
    const path = `/${name}.git/info/lfs/objects/${sha256}`;
    return { put: `${path}/${sizeBytes}`, get: path };
  });
  const rows = [...(await objectRows(context)), ...large];
  return {
    title: `Git LFS (per object of ${objects}, 1 KB each; CPU of the process alone; load of the machine ${load})`,
    rows: [["what", "CPU ms", "table requests", "units read / written", "S3 reads / writes"], ...rows],
  };
}

interface Action {
  readonly href: string;
  readonly header?: Record<string, string>;
}
interface Planned {
  readonly oid: string;
  readonly size: number;
  readonly actions?: Readonly<Record<string, Action>>;
}

async function objectRows(context: BenchContext): Promise<string[][]> {
  const { forge, stop } = await makeForge(onItsOwn(context));
  try {
    const account = { name: "ada", email: "ada@example.com", password: "correct-horse-9" };
    const user = await createUser(forge, account);
    const { text: token } = await createToken(forge, user, { name: "bench", scopes: ["all"] });
    await createRepository(forge, { user }, user, { name: "large" });
    const contents = new Map<string, Buffer>();
    for (let at = 0; at < objects; at += 1) {
      const bytes = randomBytes(1_024);
      contents.set(createHash("sha256").update(bytes).digest("hex"), bytes);
    }
    const push = await measured(forge, "push: batch, PUT, verify", async (ask) => {
      for (const { oid, size, actions } of await plan(ask, token, "upload", contents)) {
        await ask("PUT", actions?.upload, contents.get(oid));
        await ask("POST", actions?.verify, JSON.stringify({ oid, size }));
      }
    });
    const again = await measured(forge, "push again: batch", (ask) => plan(ask, token, "upload", contents));
    const clone = await measured(forge, "clone: batch, GET", async (ask) => {
      for (const { actions } of await plan(ask, token, "download", contents)) {
        await ask("GET", actions?.download);
      }
    });
    return [push, again, clone];
  } finally {
    await stop();
  }
}

/** Carries out an action; answers its body. */
type Ask = (method: string, action: Action | undefined, body?: string | Buffer) => Promise<string>;

async function plan(
  ask: Ask,
  token: string,
  operation: string,
  contents: ReadonlyMap<string, Buffer>,
): Promise<Planned[]> {
  const named = [...contents].map(([oid, { length }]) => ({ oid, size: length }));
  const planned: Planned[] = [];
  const batch = {
    href: "/ada/large.git/info/lfs/objects/batch",
    header: { authorization: `token ${token}` },
  };
  for (let at = 0; at < named.length; at += perBatch) {
    const asked = { operation, objects: named.slice(at, at + perBatch) };
    planned.push(...JSON.parse(await ask("POST", batch, JSON.stringify(asked))).objects);
  }
  return planned;
}

async function measured(forge: Forge, name: string, work: (ask: Ask) => Promise<unknown>): Promise<string[]> {
  const usage = noUsage();
  const counted = countedBy(forge, countInto(usage));
  const site = besideGit(createGitApp({ forge: counted, resolve: createGitResolver(counted) }), counted);
  const before = process.cpuUsage();
  await work(async (method, action, body) => {
    if (action === undefined) throw new Error(`${name}: nothing to do`);
    const path = action.href.replace(forge.config.rootUrl, "");
    const sent = body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) };
    const headers = new Headers({ accept: type });
    for (const [header, value] of Object.entries(action.header ?? {})) headers.set(header, value);
    const init = { method, headers, ...sent };
    const answer = await site.request(path, init, { clientAddress: "192.0.2.1" });
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(`${name}: ${answer.status} ${text}`);
    return text;
  });
  const { user, system } = process.cpuUsage(before);
  const mean = (sum: number) => (sum / objects).toFixed(2);
  return [
    name,
    mean((user + system) / 1000),
    mean(usage.tableRequests),
    `${mean(usage.tableReadUnits)} / ${mean(usage.tableWriteUnits)}`,
    `${mean(usage.blobReads)} / ${mean(usage.blobWrites)}`,
  ];
}
