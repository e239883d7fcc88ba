import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findAccess } from "#core/access/repository-access";
import { systemClock } from "#core/clock";
import { readDataFormat } from "#core/data-format";
import { outbox } from "#core/events/outbox";
import type { Forge } from "#core/forge";
import { createIssue } from "#core/issue/issue";
import { createRepository } from "#core/repository/create";
import { countsKey } from "#core/repository/repository.table";
import { update } from "#core/table/write";
import { createUser } from "#core/user/create";
import { makeForge } from "#tests/support/forge";
import { writeBeside } from "#tests/support/process/beside-server";
import { checkData } from "#tests/support/process/check-data";
import { startServer } from "#tests/support/process/server-process";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Leaves an event in the outbox of a running server as one that was killed ten minutes ago does. */
async function leaveEvent(folder: string): Promise<void> {
  const stores = { clock: systemClock } as Forge;
  const atMs = systemClock.now() - 10 * 60_000;
  const { write } = outbox(stores, "repository-events", { kind: "nothing" }, { atMs });
  await writeBeside(folder, write);
}

it("check-data finds nothing on a running server, nor once it is stopped, and says how it is called", async () => {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-checked-"));
  const server = await startServer({ project, folder });
  const DATA_DIR = folder;
  try {
    const call = (path: string, body: object) =>
      fetch(`${server.url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    await call("/user/repos", { name: "checked", auto_init: true });
    await call("/repos/root/checked/issues", { title: "An issue", body: "with words" });
    expect(await checkData(project, { DATA_DIR })).toEqual({ code: 0, lines: ["Nothing is wrong."] });
    const one = await checkData(project, { DATA_DIR }, ["--repository", "root/checked"]);
    expect(one).toEqual({ code: 0, lines: ["Nothing is wrong."] });
    const unknown = await checkData(project, { DATA_DIR }, ["--repository", "root/nothing"]);
    expect(unknown).toEqual({
      code: 1,
      lines: ["coldforge: check-data: there is no repository root/nothing."],
    });
    const wrong = await checkData(project, { DATA_DIR }, ["--mend"]);
    expect([wrong.code, wrong.lines[0]]).toEqual([1, expect.stringContaining("--mend")]);
    await leaveEvent(DATA_DIR);
    await server.stop();
    expect(await checkData(project, { DATA_DIR })).toEqual({ code: 0, lines: ["Nothing is wrong."] });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});

it("check-data reaches the S3 that a running server was given, from another environment", async () => {
  const { standIns, stop } = await makeForge();
  const environment = {
    AWS_ENDPOINT_URL_S3: standIns.s3Endpoint,
    BUCKET_NAME: standIns.bucket,
    AWS_ACCESS_KEY_ID: standIns.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: standIns.credentials.secretAccessKey,
  };
  const server = await startServer({ project, environment });
  try {
    await fetch(`${server.url}/api/v1/user/repos`, {
      method: "POST",
      headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "away", auto_init: true }),
    });
    const found = await checkData(project, { DATA_DIR: server.folder });
    expect(found).toEqual({ code: 0, lines: ["Nothing is wrong."] });
  } finally {
    await server.stop();
    await stop();
  }
});

it("check-data ends with 1 when it finds something, mends it on a deployed table, and then finds nothing", async () => {
  const { forge, standIns, stop } = await makeForge();
  try {
    await readDataFormat(forge.table);
    const user = await createUser(forge, {
      name: "eve",
      email: "eve@example.com",
      password: "correct-horse-9",
      isAdmin: true,
    });
    const { id } = await createRepository(forge, { user }, user, { name: "wrong" });
    const access = await findAccess(forge, { user }, "eve", "wrong");
    if (access === undefined) throw new Error("the repository is not there");
    await createIssue(forge, access, { title: "One" }, { user });
    await forge.table.write(update(countsKey(id, 0), { set: { openIssues: 3 } }));
    const environment = {
      AWS_ENDPOINT_URL_DYNAMODB: standIns.dynamodbEndpoint,
      AWS_ENDPOINT_URL_S3: standIns.s3Endpoint,
      BUCKET_NAME: standIns.bucket,
      AWS_REGION: standIns.region,
      AWS_ACCESS_KEY_ID: standIns.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: standIns.credentials.secretAccessKey,
      TABLE_NAME: forge.table.name,
      DATA_DIR: "/nowhere",
    };
    const line = `* 11  R#${id} / COUNT#0: openIssues counts 3, there are 1. counts anew.`;
    expect(await checkData(project, environment)).toEqual({
      code: 1,
      lines: [line, "1 finding. --repair mends those marked with a star."],
    });
    expect(await checkData(project, environment, ["--repair"])).toEqual({
      code: 0,
      lines: [line, "1 finding. Mending, and looking again:", "Nothing is wrong any more."],
    });
  } finally {
    await stop();
  }
});
