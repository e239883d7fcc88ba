import { notFound } from "#core/errors";
import { findGitignore, listGitignores } from "#core/template/gitignores";
import { findLabelSet, listLabelSets } from "#core/template/label-sets";
import { findLicense, listLicenses } from "#core/template/licenses";
import { z } from "#zod";
import { apiLinkTo } from "../../http/answer/links.ts";
import { type View, viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";

const GitignoreTemplateInfo = z
  .object({ name: z.string(), source: z.string() })
  .openapi("GitignoreTemplateInfo");

const LicensesTemplateListEntry = z
  .object({ key: z.string(), name: z.string(), url: z.string() })
  .openapi("LicensesTemplateListEntry");

const LicenseTemplateInfo = z
  .object({
    key: z.string(),
    name: z.string(),
    url: z.string(),
    implementation: z.string(),
    body: z.string(),
  })
  .openapi("LicenseTemplateInfo");

const LabelTemplate = z
  .object({ name: z.string(), color: z.string(), description: z.string(), exclusive: z.boolean() })
  .openapi("LabelTemplate");

const open = { tag: "miscellaneous", method: "get", needs: {}, status: 200 } as const;
const absent = (kind: string, name: string) => notFound(`${kind} template does not exist [name: ${name}]`);

const presentLicense = ({ config }: View, key: string) => ({
  key,
  name: key,
  url: apiLinkTo(config, "licenses", key),
});

const implementation =
  "Put the text into a file named LICENSE (or COPYING) in the first folder of the repository, and replace what stands " +
  "in brackets, such as year and copyright holder, by your own.";

export const templateEndpoints = [
  endpoint({
    ...open,
    id: "listGitignoresTemplates",
    path: "/gitignore/templates",
    summary: "List the names of .gitignore templates",
    returns: { json: z.array(z.string()) },
    errors: [],
    handle: () => listGitignores(),
  }),
  endpoint({
    ...open,
    id: "getGitignoreTemplateInfo",
    path: "/gitignore/templates/{name}",
    summary: "Get a .gitignore template",
    returns: { json: GitignoreTemplateInfo },
    errors: [404],
    handle: async ({ params }) => {
      const source = await findGitignore(params.name);
      if (source === undefined) throw absent("gitignore", params.name);
      return { name: params.name, source };
    },
  }),
  endpoint({
    ...open,
    id: "listLicenseTemplates",
    path: "/licenses",
    summary: "List the licenses that a repository may begin with",
    returns: { json: z.array(LicensesTemplateListEntry) },
    errors: [],
    handle: async (request) => listLicenses().map((key) => presentLicense(viewOf(request), key)),
  }),
  endpoint({
    ...open,
    id: "getLicenseTemplateInfo",
    path: "/licenses/{name}",
    summary: "Get a license with its text",
    returns: { json: LicenseTemplateInfo },
    errors: [404],
    handle: async (request) => {
      const license = findLicense(request.params.name);
      if (license === undefined) throw absent("license", request.params.name);
      return { ...presentLicense(viewOf(request), license.key), implementation, body: license.body };
    },
  }),
  endpoint({
    ...open,
    id: "listLabelTemplates",
    path: "/label/templates",
    summary: "List the names of the sets of labels that a repository may begin with",
    returns: { json: z.array(z.string()) },
    errors: [],
    handle: async () => listLabelSets(),
  }),
  endpoint({
    ...open,
    id: "getLabelTemplateInfo",
    path: "/label/templates/{name}",
    summary: "Get the labels of a set",
    returns: { json: z.array(LabelTemplate) },
    errors: [404],
    handle: async ({ params }) => {
      const labels = findLabelSet(params.name);
      if (labels === undefined) throw absent("label", params.name);
      return labels.map(({ name, color, description, isExclusive }) => ({
        name,
        color: color.slice(1),
        description,
        exclusive: isExclusive,
      }));
    },
  }),
];
