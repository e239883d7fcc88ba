import { deepEqual, equal } from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { administrator, mintToken, startServer } from "../support/process/server-process.ts";

const run = promisify(execFile);

/** Names of the suite's tests, each with why it can't hold here. */
type Reasons = Readonly<Record<string, string>>;

/** What the suite expects of the installation it was written for, as far as one may choose it. */
const account = "test01";
const installation = { ADMIN_USER: account, ADMIN_EMAIL: `${account}@gitea.io`, LFS_START_SERVER: "false" };

/** It asks other hosts. */
const left: Reasons = { TestRepoMigrateAndLanguages: "it brings a repository over from gitea.com" };

const failing: Reasons = {
  TestAdminCronTasks: "it expects more than 15 scheduled tasks",
  TestMilestones: "it expects all milestones without a state; as documented, these are the open ones",
  TestPull: "it counts lines of its installation's text of the MIT license",
  TestListRepoCommits: "it counts lines of its installation's text of the MIT license",
  TestUserSettings: "it expects its installation's theme of pages",
  TestMyUser: "it expects its installation's address in that of a picture, and the MD5 of the e-mail address",
  TestUserSearch:
    "it counts the users whose address has `it`, as in @gitea.io; here a whole address finds one",
};

/**
 * Runs each test of the Go SDK's own suite, compiled to `program`, in a process of its own and in their order, by name
 * and password: those that `failing` names fail, and no others.
 */
export async function playGoSdk(project: string, program: string): Promise<void> {
  const server = await startServer({ project, environment: installation, token: "unused" });
  try {
    const user = { name: account, password: administrator.password };
    await mintToken(server.url, user, "gitea-admin"); // the suite expects it
    const env = {
      GITEA_SDK_TEST_URL: server.url,
      GITEA_SDK_TEST_USERNAME: account,
      GITEA_SDK_TEST_PASSWORD: administrator.password,
    };
    const { stdout } = await run(program, ["-test.list", "."], { env });
    const tests = stdout.match(/^Test\w+$/gm)?.filter((test) => left[test] === undefined) ?? [];
    const failed: string[] = [];
    for (const test of tests) {
      const output = await run(program, ["-test.run", `^${test}$`], { env }).then(
        () => undefined,
        (error: { readonly stdout?: string }) => error.stdout ?? "",
      );
      if (output === undefined) continue;
      failed.push(test);
      if (failing[test] === undefined) console.error(output);
    }
    console.log(
      `ok: ${tests.length - failed.length} of ${tests.length + Object.keys(left).length} tests pass`,
    );
    deepEqual(failed.sort(), Object.keys(failing).sort(), "tests that fail");
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
  }
}
