import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findAccess } from "#core/access/repository-access";
import * as issues from "#core/issue/issue";
import * as repositories from "#core/repository/repository";
import { countsKey } from "#core/repository/repository.table";
import { update } from "#core/table";
import * as users from "#core/user/user";
import { checkData } from "#tests/support/check-data";
import { makeForge } from "#tests/support/forge";
import { startServer } from "#tests/support/server-process";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

it("check-data finds nothing on a running server, and says how it is called", async () => {
  const server = await startServer({ project });
  try {
    const call = (path: string, body: object) =>
      fetch(`${server.url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    await call("/user/repos", { name: "checked", auto_init: true });
    await call("/repos/root/checked/issues", { title: "An issue", body: "with words" });
    const DATA_DIR = server.folder;
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
  } finally {
    await server.stop();
  }
});

it("check-data ends with 1 when it finds something, mends it on a deployed table, and then finds nothing", async () => {
  const { forge, standIns, stop } = await makeForge();
  try {
    const user = await users.create(forge, {
      name: "eve",
      email: "eve@example.com",
      password: "correct-horse-9",
      isAdmin: true,
    });
    const { id } = await repositories.create(forge, { user }, user, { name: "wrong" });
    const access = await findAccess(forge, { user }, "eve", "wrong");
    if (access === undefined) throw new Error("the repository is not there");
    await issues.create(forge, access, { title: "One" }, { user });
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
