import type { Actor } from "#core/actor";
import { badRequest } from "#core/errors";
import { getIssue } from "#core/issue/change/change";
import {
  addIssueLabels,
  issueLabelsOf,
  type LabelReferences,
  removeIssueLabels,
  replaceIssueLabels,
} from "#core/issue/labels/labels";
import type { IssuePlace } from "#core/issue/referred";
import type { Label as StoredLabel } from "#core/label/label.table";
import type { z } from "#zod";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idText } from "../label/endpoints.ts";
import { presentLabel } from "../label/present.ts";
import { Label } from "../label/schema.ts";
import { byWriters, readsIssues, requireWritable, type WriterRequest } from "./needs.ts";
import { DeleteLabelsOption, IssueLabelsOption } from "./schema.ts";
import { dateIn } from "./update-date.ts";

/** Labels by ids alone or by names alone. A mixture is 400, but missing rights come first. */
async function referencesIn(
  request: WriterRequest,
  labels: readonly (number | string)[] = [],
): Promise<LabelReferences> {
  const ids = labels.filter((label) => typeof label === "number");
  if (ids.length === labels.length) return ids;
  if (ids.length === 0) return labels as readonly string[];
  await requireWritable(request);
  throw badRequest("labels must be either all ids or all names");
}

const shown = (
  request: Parameters<typeof viewOf>[0] & { access: IssuePlace },
  rows: readonly StoredLabel[],
) => rows.map((label) => presentLabel(viewOf(request), request.access, label));

interface ChangeRequest extends WriterRequest {
  readonly actor: Actor;
  readonly body: z.infer<typeof IssueLabelsOption>;
}

/** Changes the labels of an issue in one of two ways; answers all its labels. */
async function changed(request: ChangeRequest, change: typeof addIssueLabels) {
  const { forge, access, actor, params, body } = request;
  const by = { actor, updatedAt: dateIn(body) };
  const rows = await change(forge, access, params.index, await referencesIn(request, body.labels), by);
  return { items: shown(request, rows), total: rows.length };
}

const issueGetLabels = endpoint({
  id: "issueGetLabels",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/{index}/labels",
  summary: "List the labels of an issue, by name",
  needs: readsIssues,
  status: 200,
  returns: { list: Label },
  errors: [404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const issue = await getIssue(forge, access, params.index);
    const rows = await issueLabelsOf(forge, access, issue);
    const listing = wholeUnlessAsked(rows, request.page);
    return { ...listing, items: shown(request, listing.items) };
  },
});

const issueAddLabel = endpoint({
  ...byWriters,
  id: "issueAddLabel",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/labels",
  summary: "Add labels to an issue",
  description:
    "An exclusive label takes the place of another of its scope; two of one scope at once are refused.",
  hasBareRefusal: true,
  body: IssueLabelsOption,
  status: 200,
  returns: { list: Label },
  errors: [400, 401, 403, 404, 409, 422],
  handle: (request) => changed(request, addIssueLabels),
});

const issueReplaceLabels = endpoint({
  ...byWriters,
  id: "issueReplaceLabels",
  method: "put",
  path: "/repos/{owner}/{repo}/issues/{index}/labels",
  summary: "Replace the labels of an issue",
  hasBareRefusal: true,
  body: IssueLabelsOption,
  status: 200,
  returns: { list: Label },
  errors: [400, 401, 403, 404, 409, 422],
  handle: (request) => changed(request, replaceIssueLabels),
});

const issueClearLabels = endpoint({
  ...byWriters,
  id: "issueClearLabels",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/labels",
  summary: "Take all labels off an issue",
  hasBareRefusal: true,
  body: DeleteLabelsOption,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, actor, params, body }) => {
    const by = { actor, updatedAt: dateIn(body) };
    await removeIssueLabels(forge, access, params.index, undefined, by);
    return undefined;
  },
});

const issueRemoveLabel = endpoint({
  ...byWriters,
  id: "issueRemoveLabel",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/labels/{label}",
  slashed: "label",
  namedId: "label",
  summary:
    "Take the label with this id or name off an issue; it is no error when the issue does not carry it",
  hasBareRefusal: true,
  body: DeleteLabelsOption,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, actor, params, body }) => {
    const by = { actor, updatedAt: dateIn(body) };
    const label = idText.test(params.label) ? Number(params.label) : params.label;
    await removeIssueLabels(forge, access, params.index, label, by);
    return undefined;
  },
});

export const issueLabelEndpoints = [
  issueGetLabels,
  issueAddLabel,
  issueReplaceLabels,
  issueClearLabels,
  issueRemoveLabel,
];
