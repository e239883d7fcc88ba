import {
  findIssueConfigProblem,
  getIssueConfig,
  listIssueTemplates,
} from "#core/issue-template/issue-template";
import type { IssueTemplate as ReadTemplate } from "#core/issue-template/template-file";
import { z } from "#zod";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";

const IssueFormField = z
  .object({
    type: z.enum(["markdown", "textarea", "input", "dropdown", "checkboxes"]).openapi("IssueFormFieldType"),
    id: z.string(),
    attributes: z.record(z.string(), z.unknown()),
    validations: z.record(z.string(), z.unknown()),
    visible: z.array(z.enum(["form", "content"]).openapi("IssueFormFieldVisible")),
  })
  .openapi("IssueFormField");

const IssueTemplate = z
  .object({
    name: z.string(),
    title: z.string(),
    about: z.string(),
    labels: z.array(z.string()).openapi("IssueTemplateLabels"),
    assignees: z.array(z.string()),
    ref: z.string(),
    content: z.string(),
    body: z.array(IssueFormField),
    file_name: z.string(),
  })
  .openapi("IssueTemplate");

const IssueConfig = z
  .object({
    blank_issues_enabled: z.boolean(),
    contact_links: z.array(
      z.object({ name: z.string(), url: z.string(), about: z.string() }).openapi("IssueConfigContactLink"),
    ),
  })
  .openapi("IssueConfig");

const IssueConfigValidation = z
  .object({ valid: z.boolean(), message: z.string().openapi({ description: "the fault; empty" }) })
  .openapi("IssueConfigValidation");

const reading = {
  tag: "repository",
  method: "get",
  cost: "heavy",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  status: 200,
  errors: [404],
} as const;

const repoGetIssueTemplates = endpoint({
  ...reading,
  id: "repoGetIssueTemplates",
  path: "/repos/{owner}/{repo}/issue_templates",
  summary: "List the issue templates in the default branch: all unless a page is asked for",
  returns: { list: IssueTemplate },
  handle: async ({ forge, access, page, signal }) => {
    const templates = await listIssueTemplates(forge, access.repository.id, signal);
    const listing = wholeUnlessAsked(templates, page);
    return { ...listing, items: listing.items.map(present) };
  },
});

const present = ({ fields, path, labels, assignees, ...rest }: ReadTemplate) => ({
  ...rest,
  labels: [...labels],
  assignees: [...assignees],
  body: fields.map((field) => ({ ...field, visible: [...field.visible] })),
  file_name: path,
});

const repoGetIssueConfig = endpoint({
  ...reading,
  id: "repoGetIssueConfig",
  path: "/repos/{owner}/{repo}/issue_config",
  summary: "Get the issue configuration of the default branch",
  returns: { json: IssueConfig },
  handle: async ({ forge, access, signal }) => {
    const { allowsBlank, links } = await getIssueConfig(forge, access.repository.id, signal);
    return { blank_issues_enabled: allowsBlank, contact_links: [...links] };
  },
});

const repoValidateIssueConfig = endpoint({
  ...reading,
  id: "repoValidateIssueConfig",
  path: "/repos/{owner}/{repo}/issue_config/validate",
  summary: "Check the file that says how issues are begun",
  returns: { json: IssueConfigValidation },
  handle: async ({ forge, access, signal }) => {
    const problem = await findIssueConfigProblem(forge, access.repository.id, signal);
    return { valid: problem === undefined, message: problem ?? "" };
  },
});

export const issueTemplateEndpoints = [repoGetIssueTemplates, repoGetIssueConfig, repoValidateIssueConfig];
