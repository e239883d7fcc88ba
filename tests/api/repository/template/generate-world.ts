import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { Folders, WorkingCopy } from "../../../git/http/real-git.ts";
import { makeOrganization } from "../../organization/make.ts";
import { type ServedGit, serveGit } from "../serve-git.ts";

export let api: TestApi;
let served: ServedGit;
const folders = new Folders();
export let alice: Caller;
export let bob: Caller;
export let boss: Caller;
export let made = 0;
export let name = "";

export const generate = (template: string, body: object = {}, as: Caller | undefined = bob) =>
  api.call("POST", `/repos/alice/${template}/generate`, {
    as,
    body: { owner: "bob", name, git_content: true, ...body },
  });

/** A template with three commits, the last of which holds these files. */
export async function makeTemplate(
  called: string,
  files: Record<string, string>,
  format: "sha1" | "sha256" = "sha1",
): Promise<void> {
  const body = { name: called, template: true, object_format_name: format, description: "a pattern" };
  expect((await api.call("POST", "/user/repos", { as: alice, body })).status).toBe(201);
  const copy = await WorkingCopy.init(folders, format);
  const first = ["one", "two"].map((text) => ({ files: { "a.txt": text }, message: text }));
  await copy.commitAll([...first, { files, message: "three" }]);
  await copy.git("push", "-q", served.url(`alice/${called}`, alice), "main");
}

/** The files of a repository's default branch, by path, and how many commits lead there. */
export async function contentOf(path: string): Promise<{ files: Record<string, string>; commits: string[] }> {
  const folder = await folders.make();
  const copy = new WorkingCopy(folder);
  await copy.git("-c", "transfer.fsckObjects=true", "clone", "-q", served.url(path, bob), ".");
  const names = (await copy.git("ls-files")).split("\n");
  const files: Record<string, string> = {};
  for (const file of names) files[file] = await copy.git("show", `HEAD:${file}`);
  return { files, commits: (await copy.git("log", "--format=%an: %s")).split("\n") };
}
export const asked = {
  git_content: false,
  labels: true,
  webhooks: true,
  protected_branch: true,
  owner: "alice",
};
export const config = { url: "https://ci.example/", content_type: "json", secret: "s" };

export async function makeEquipped(called: string, labels: number): Promise<void> {
  await makeTemplate(called, { "a.txt": "a" });
  const add = (path: string, body: object) =>
    api.call("POST", `/repos/alice/${called}/${path}`, { as: alice, body });
  for (let count = 0; count < labels; count += 1)
    await add("labels", { name: `kind/${count}`, color: "00aabb", exclusive: true });
  await add("hooks", { type: "gitea", config, active: true });
  await add("branch_protections", { rule_name: "main", enable_push: true, required_approvals: 2 });
}
export const shown = async (full: string, part: string) =>
  (await api.call("GET", `/repos/${full}/${part}`, { as: alice })).json;

/** Makes it before the tests of a file, and takes it away after them. */
export function useTemplates(): void {
  beforeAll(async () => {
    api = await makeApi();
    served = await serveGit(api);
    alice = await api.makeUser({ name: "alice" });
    bob = await api.makeUser({ name: "bob" });
    boss = await api.makeUser({ name: "boss", isAdmin: true });
    await makeOrganization(api, alice, "acme");
  });
  beforeEach(() => {
    made += 1;
    name = `made-${made}`;
  });
  afterAll(async () => {
    await folders.remove();
    await served.stop();
    await api.stop();
  });
}
