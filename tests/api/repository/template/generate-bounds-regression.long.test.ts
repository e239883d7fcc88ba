import { afterAll, beforeAll, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, type TestFile } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

/** Makes a repository from a template with such files. */
async function generate(name: string, files: Readonly<Record<string, TestFile>>, description = "") {
  await makeRepository(api, alice, name, { template: true });
  await pushFiles(api, alice, name, { files });
  const body = { owner: "alice", name: `of-${name}`, git_content: true, description };
  return api.call("POST", `/repos/alice/${name}/generate`, { as: alice, body });
}

it('"generateRepo": 422 for variables that would make more than 64 MiB of a template, before that is made', async () => {
  const many = "$REPO_DESCRIPTION ".repeat(40_000);
  const description = "x".repeat(2_048);
  const answer = await generate("long", { ".gitea/template": "*.txt", "a.txt": many }, description);
  expect([answer.status, answer.json.message]).toEqual([422, expect.stringContaining("64 MiB")]);
  const names = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`${at}${"$REPO_DESCRIPTION".repeat(1_000)}`, ""]),
  );
  expect((await generate("named", { ".gitea/template": "**", ...names }, description)).status).toBe(422);
});
