import { listLanguages } from "#core/language/language";
import { z } from "#zod";
import { endpoint } from "../../http/endpoint.ts";

const repoGetLanguages = endpoint({
  id: "repoGetLanguages",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/languages",
  summary: "Say how many bytes of which languages the default branch holds, most first",
  description:
    "Counted within seconds after a push, by the names of files. Code of others, generated files and documentation are left out; attributes such as `linguist-language` and `linguist-vendored` in .gitattributes are obeyed.",
  needs: { scope: ["repository"], repository: { mode: "read", unit: "code" } },
  status: 200,
  returns: { json: z.record(z.string(), z.int()).openapi("LanguageStatistics") },
  errors: [404],
  handle: async ({ forge, access }) => Object.fromEntries(await listLanguages(forge, access.repository.id)),
});

export const repositoryLanguageEndpoints = [repoGetLanguages];
