import { defined } from "#core/defined";
import { notFound, unprocessable } from "#core/errors";
import type { Forge } from "#core/forge";
import { createLabel, editLabel, getLabel, getLabelByName, listLabels, removeLabel } from "#core/label/label";
import type { LabelParent, Label as StoredLabel } from "#core/label/label.table";
import { listShownRepositories } from "#core/repository/listing/shown";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { eitherUnit } from "../issue/needs.ts";
import { presentLabel } from "./present.ts";
import { CreateLabelOption, EditLabelOption, type EditLabelOptionJson, Label } from "./schema.ts";
import { sorted, sortQuery } from "./sort.ts";

/** The texts that count as an id where names are allowed, too. */
export const idText = /^[1-9]\d{0,14}$/;

/** A label by its id, or by its name when that is no number. */
const getByIdOrName = (forge: Forge, parent: LabelParent, label: string): Promise<StoredLabel> =>
  idText.test(label) ? getLabel(forge, parent, Number(label)) : getLabelByName(forge, parent, label);

/** The same for a change, only the id: 422 when several labels have the name. */
async function idOf(forge: Forge, parent: LabelParent, label: string): Promise<number> {
  if (idText.test(label)) return Number(label);
  const [found, ...others] = (await listLabels(forge, parent)).filter(({ name }) => name === label);
  if (found === undefined) throw notFound(`label does not exist [name: ${label}]`);
  if (others.length > 0) throw unprocessable(`several labels have the name ${label}: give the id of one`);
  return found.id;
}

const changesOf = ({ name, color, description, exclusive, is_archived }: EditLabelOptionJson) => ({
  ...defined({ name, color, description, isExclusive: exclusive, isArchived: is_archived }),
});

/** How many repositories count for the use of an organization's labels. */
const mostRepositories = 200;

const ofRepository = (id: number): LabelParent => ({ kind: "repository", id });
const ofOrganization = (id: number): LabelParent => ({ kind: "organization", id });

const reading = { scope: ["issue"], repository: { mode: "read" } } as const;
const writing = {
  scope: ["issue"],
  login: true,
  repository: { mode: "write", unit: eitherUnit },
} as const;

const issueListLabels = endpoint({
  id: "issueListLabels",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/labels",
  summary: "List a repository's labels by name: all unless a page is asked for",
  needs: reading,
  query: sortQuery,
  status: 200,
  returns: { list: Label },
  errors: [404],
  handle: async (request) => {
    const { forge, access, page, query } = request;
    const { id } = access.repository;
    const all = await listLabels(forge, ofRepository(id));
    const rows = await sorted(forge, all, query.sort, async () => [id]);
    const listing = wholeUnlessAsked(rows, page);
    return { ...listing, items: listing.items.map((one) => presentLabel(viewOf(request), access, one)) };
  },
});

const issueCreateLabel = endpoint({
  id: "issueCreateLabel",
  tag: "issue",
  method: "post",
  path: "/repos/{owner}/{repo}/labels",
  summary: "Create a label",
  needs: writing,
  body: CreateLabelOption,
  status: 201,
  returns: { json: Label },
  errors: [401, 403, 404, 422],
  handle: async (request) => {
    const { forge, access, body } = request;
    const given = { name: body.name, color: body.color, ...changesOf(body) };
    const label = await createLabel(forge, ofRepository(access.repository.id), given);
    return presentLabel(viewOf(request), access, label);
  },
});

const issueGetLabel = endpoint({
  id: "issueGetLabel",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/labels/{label}",
  slashed: "label",
  namedId: "label",
  summary: "Get a label by its id, or by its name when that is no number",
  needs: reading,
  status: 200,
  returns: { json: Label },
  errors: [404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const label = await getByIdOrName(forge, ofRepository(access.repository.id), params.label);
    return presentLabel(viewOf(request), access, label);
  },
});

const issueEditLabel = endpoint({
  id: "issueEditLabel",
  tag: "issue",
  method: "patch",
  path: "/repos/{owner}/{repo}/labels/{label}",
  slashed: "label",
  namedId: "label",
  summary: "Edit the label with this id or name",
  needs: writing,
  body: EditLabelOption,
  status: 200,
  returns: { json: Label },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, params, body } = request;
    const parent = ofRepository(access.repository.id);
    const id = await idOf(forge, parent, params.label);
    const label = await editLabel(forge, parent, id, changesOf(body));
    return presentLabel(viewOf(request), access, label);
  },
});

const issueDeleteLabel = endpoint({
  id: "issueDeleteLabel",
  tag: "issue",
  method: "delete",
  path: "/repos/{owner}/{repo}/labels/{label}",
  slashed: "label",
  namedId: "label",
  summary: "Delete the label with this id or name; it is no error when there is none",
  needs: writing,
  status: 204,
  errors: [401, 403, 404, 422],
  handle: async ({ forge, access, params }) => {
    const parent = ofRepository(access.repository.id);
    await removeLabel(forge, parent, await idOf(forge, parent, params.label));
    return undefined;
  },
});

const orgListLabels = endpoint({
  id: "orgListLabels",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/labels",
  summary: "List an organization's labels by name: all unless a page is asked for",
  description: `By use: as the caller sees it, in the ${mostRepositories} repositories that were updated last.`,
  needs: { scope: ["organization"], organization: "visible" },
  query: sortQuery,
  status: 200,
  returns: { list: Label },
  errors: [404],
  handle: async (request) => {
    const { forge, actor, page, query } = request;
    const { organization } = request.organization;
    const all = await listLabels(forge, ofOrganization(organization.id));
    const rows = await sorted(forge, all, query.sort, async () => {
      const shown = await listShownRepositories(forge, actor, { ownerId: organization.id }, mostRepositories);
      return shown.items.map(({ repository }) => repository.id);
    });
    const listing = wholeUnlessAsked(rows, page);
    const view = viewOf(request);
    return {
      ...listing,
      items: listing.items.map((one) => presentLabel(view, { owner: organization }, one)),
    };
  },
});

const orgCreateLabel = endpoint({
  id: "orgCreateLabel",
  tag: "organization",
  method: "post",
  path: "/orgs/{org}/labels",
  summary: "Create a label for all repositories of an organization",
  needs: { scope: ["organization"], login: true, organization: "owner" },
  body: CreateLabelOption,
  status: 201,
  returns: { json: Label },
  errors: [401, 403, 404, 422],
  handle: async (request) => {
    const { forge, body } = request;
    const { organization } = request.organization;
    const given = { name: body.name, color: body.color, ...changesOf(body) };
    const label = await createLabel(forge, ofOrganization(organization.id), given);
    return presentLabel(viewOf(request), { owner: organization }, label);
  },
});

const orgGetLabel = endpoint({
  id: "orgGetLabel",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/labels/{label}",
  slashed: "label",
  namedId: "label",
  summary: "Get an organization's label by its id, or by its name when that is no number",
  needs: { scope: ["organization"], login: true, organization: "visible" },
  status: 200,
  returns: { json: Label },
  errors: [401, 404],
  handle: async (request) => {
    const { forge, params } = request;
    const { organization } = request.organization;
    const label = await getByIdOrName(forge, ofOrganization(organization.id), params.label);
    return presentLabel(viewOf(request), { owner: organization }, label);
  },
});

const orgEditLabel = endpoint({
  id: "orgEditLabel",
  tag: "organization",
  method: "patch",
  path: "/orgs/{org}/labels/{label}",
  slashed: "label",
  namedId: "label",
  summary: "Edit an organization's label",
  needs: { scope: ["organization"], login: true, organization: "owner" },
  body: EditLabelOption,
  status: 200,
  returns: { json: Label },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, params, body } = request;
    const { organization } = request.organization;
    const parent = ofOrganization(organization.id);
    const id = await idOf(forge, parent, params.label);
    const label = await editLabel(forge, parent, id, changesOf(body));
    return presentLabel(viewOf(request), { owner: organization }, label);
  },
});

const orgDeleteLabel = endpoint({
  id: "orgDeleteLabel",
  tag: "organization",
  method: "delete",
  path: "/orgs/{org}/labels/{label}",
  slashed: "label",
  namedId: "label",
  summary: "Delete an organization's label",
  needs: { scope: ["organization"], login: true, organization: "owner" },
  status: 204,
  errors: [401, 403, 404, 422],
  handle: async ({ forge, organization, params }) => {
    const parent = ofOrganization(organization.organization.id);
    const id = await idOf(forge, parent, params.label);
    const isRemoved = await removeLabel(forge, parent, id);
    if (!isRemoved) throw notFound(`label does not exist [id: ${id}]`);
    return undefined;
  },
});

export const labelEndpoints = [
  issueListLabels,
  issueCreateLabel,
  issueGetLabel,
  issueEditLabel,
  issueDeleteLabel,
  orgListLabels,
  orgCreateLabel,
  orgGetLabel,
  orgEditLabel,
  orgDeleteLabel,
];
