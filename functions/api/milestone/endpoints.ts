import { defined } from "#core/defined";
import {
  createMilestone,
  editMilestone,
  getMilestoneByIdOrTitle,
  listMilestones,
  removeMilestone,
} from "#core/milestone/milestone";
import { z } from "#zod";
import { pageOf } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { isUnset, secondsFrom } from "../../http/timestamps.ts";
import { eitherUnit, readsIssues } from "../issue/needs.ts";
import { presentMilestone } from "./present.ts";
import {
  CreateMilestoneOption,
  EditMilestoneOption,
  type EditMilestoneOptionJson,
  Milestone,
} from "./schema.ts";

const writing = {
  scope: ["issue"],
  login: true,
  repository: { mode: "write", unit: eitherUnit },
} as const;

const stateWord = z
  .string()
  .transform((word) => (word === "closed" || word === "all" ? word : "open"))
  .pipe(z.enum(["open", "closed", "all"]))
  .default("open");

const changesOf = ({ title, description, due_on, state }: EditMilestoneOptionJson) => ({
  ...defined({ title: title || undefined, description }),
  ...(due_on === undefined ? {} : { dueAt: isUnset(due_on) ? 0 : secondsFrom(due_on) }),
  ...(state === undefined ? {} : { isClosed: state === "closed" }),
});

const issueGetMilestones = endpoint({
  id: "issueGetMilestones",
  originalId: "issueGetMilestonesList",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/milestones",
  summary: "List a repository's milestones: those due first come first, then by title",
  needs: readsIssues,
  query: { state: stateWord, name: text.openapi({ description: "a part of the title, in any case" }) },
  status: 200,
  returns: { list: Milestone, hasTexts: true },
  errors: [404],
  handle: async ({ forge, access, page, query }) => {
    const name = query.name?.toLowerCase() ?? "";
    const rows = (await listMilestones(forge, access.repository.id)).filter(
      ({ isClosed, title }) =>
        (query.state === "all" || isClosed === (query.state === "closed")) &&
        title.toLowerCase().includes(name),
    );
    const listing = pageOf(rows, page);
    return { ...listing, items: listing.items.map(presentMilestone) };
  },
});

const issueCreateMilestone = endpoint({
  id: "issueCreateMilestone",
  tag: "issue",
  method: "post",
  path: "/repos/{owner}/{repo}/milestones",
  summary: "Create a milestone",
  needs: writing,
  body: CreateMilestoneOption,
  status: 201,
  returns: { json: Milestone },
  errors: [401, 403, 404, 422],
  handle: async ({ forge, access, body }) => {
    const given = { title: body.title, ...changesOf(body) };
    return presentMilestone(await createMilestone(forge, access.repository.id, given));
  },
});

const issueGetMilestone = endpoint({
  id: "issueGetMilestone",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/milestones/{milestone}",
  slashed: "milestone",
  namedId: "milestone",
  summary: "Get a milestone by its id or its title",
  needs: readsIssues,
  status: 200,
  returns: { json: Milestone },
  errors: [404],
  handle: async ({ forge, access, params }) =>
    presentMilestone(await getMilestoneByIdOrTitle(forge, access.repository.id, params.milestone)),
});

const issueEditMilestone = endpoint({
  id: "issueEditMilestone",
  tag: "issue",
  method: "patch",
  path: "/repos/{owner}/{repo}/milestones/{milestone}",
  slashed: "milestone",
  namedId: "milestone",
  summary: "Edit the milestone with this id or title",
  needs: writing,
  body: EditMilestoneOption,
  status: 200,
  returns: { json: Milestone },
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, params, body }) => {
    const { id } = await getMilestoneByIdOrTitle(forge, access.repository.id, params.milestone);
    return presentMilestone(await editMilestone(forge, access.repository.id, id, changesOf(body)));
  },
});

const issueDeleteMilestone = endpoint({
  id: "issueDeleteMilestone",
  tag: "issue",
  method: "delete",
  path: "/repos/{owner}/{repo}/milestones/{milestone}",
  slashed: "milestone",
  namedId: "milestone",
  summary: "Delete the milestone with this id or title; issues lose it",
  needs: writing,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, access, params }) => {
    const { id } = await getMilestoneByIdOrTitle(forge, access.repository.id, params.milestone);
    await removeMilestone(forge, access.repository.id, id);
    return undefined;
  },
});

export const milestoneEndpoints = [
  issueGetMilestones,
  issueCreateMilestone,
  issueGetMilestone,
  issueEditMilestone,
  issueDeleteMilestone,
];
