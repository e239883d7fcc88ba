import { forbidden } from "#core/errors";
import { z } from "#zod";
import { endpoint } from "../../http/endpoint.ts";

/** A script that git runs on the server: there is none here. */
const GitHook = z
  .object({ name: z.string(), is_active: z.boolean(), content: z.string() })
  .openapi("GitHook");
const EditGitHookOption = z.object({ content: z.string().optional() }).openapi("EditGitHookOption");

/** As the family answers while server-side scripts are switched off: to administrators too. */
const common = {
  tag: "repository",
  description:
    "No script of a user runs on the server: nobody may see or change one. See docs/differences.md.",
  needs: { scope: ["repository"], login: true, repository: { mode: "admin" } },
  errors: [401, 403, 404],
} as const;

const off = async (): Promise<never> => {
  throw forbidden("no scripts of git hooks run on this server: use webhooks");
};

const repoListGitHooks = endpoint({
  ...common,
  id: "repoListGitHooks",
  method: "get",
  path: "/repos/{owner}/{repo}/hooks/git",
  summary: "List the server-side scripts of a repository",
  status: 200,
  returns: { json: z.array(GitHook) },
  handle: off,
});

const repoGetGitHook = endpoint({
  ...common,
  id: "repoGetGitHook",
  method: "get",
  path: "/repos/{owner}/{repo}/hooks/git/{name}",
  summary: "Get a server-side script of a repository",
  status: 200,
  returns: { json: GitHook },
  handle: off,
});

const repoEditGitHook = endpoint({
  ...common,
  id: "repoEditGitHook",
  method: "patch",
  path: "/repos/{owner}/{repo}/hooks/git/{name}",
  summary: "Change a server-side script of a repository",
  body: EditGitHookOption,
  status: 200,
  returns: { json: GitHook },
  handle: off,
});

const repoDeleteGitHook = endpoint({
  ...common,
  id: "repoDeleteGitHook",
  method: "delete",
  path: "/repos/{owner}/{repo}/hooks/git/{name}",
  summary: "Remove a server-side script of a repository",
  status: 204,
  handle: off,
});

export const gitHookEndpoints = [repoListGitHooks, repoGetGitHook, repoEditGitHook, repoDeleteGitHook];
