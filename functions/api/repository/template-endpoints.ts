import { detailsOfNew } from "#core/repository/details";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { generationFrom } from "./changes.ts";
import { presentRepository } from "./present.ts";
import { GenerateRepoOption, Repository } from "./schema.ts";

const generateRepo = endpoint({
  id: "generateRepo",
  tag: "repository",
  method: "post",
  path: "/repos/{template_owner}/{template_repo}/generate",
  summary: "Create a repository out of a template",
  description:
    "Nobody sees it half-made: its files are its first commit, and labels, webhooks and branch protections come with it. " +
    "At most 60 of these are copied, counted together; for a template with more 422 asks to leave a kind out.",
  cost: "heavy",
  needs: { scope: ["repository"], login: true, repository: { mode: "read", unit: "code" } },
  body: GenerateRepoOption,
  status: 201,
  returns: { json: Repository },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, actor, access, body } = request;
    const { generateRepository } = await import("#core/repository/template/generate"); // rare, and loads much
    const { repository, owner } = await generateRepository(forge, actor, access, generationFrom(body));
    const details = await detailsOfNew(forge, actor, repository, owner);
    return presentRepository(viewOf(request), details);
  },
});

export const repositoryTemplateEndpoints = [generateRepo];
