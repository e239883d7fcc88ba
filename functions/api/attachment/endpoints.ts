import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { mostAttachmentBytes, receiveAttachment } from "#core/attachment/receive";
import { badRequest } from "#core/errors";
import type { Forge } from "#core/forge";
import {
  createIssueAttachment,
  getIssueAttachment,
  listIssueAttachments,
  type NewAttachment,
  type Place,
  removeIssueAttachment,
  renameIssueAttachment,
  requireAttachable,
} from "#core/issue-attachment/issue-attachment";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import type { Upload } from "../../http/body/upload.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { readQuery, text, time } from "../../http/query.ts";
import { readsIssues } from "../issue/needs.ts";
import { dateIn } from "../issue/update-date.ts";
import { announcedFile, announcing } from "./announced.ts";
import { requireEnabled } from "./enabled.ts";
import { presentAttachment } from "./present.ts";
import {
  AnnounceAttachmentOption,
  Attachment,
  AttachmentForm,
  type AttachmentJson,
  AwaitedAttachment,
  EditAttachmentOptions,
} from "./schema.ts";

const writing = { ...readsIssues, login: true } as const;
/** The fields beside a file, in the query or in the form. */
const beside = { name: text, updated_at: time };

interface UploadRequest {
  readonly forge: Forge;
  readonly access: RepositoryAccess;
  readonly actor: Actor;
  readonly upload: Upload;
  readonly query: { name?: string | undefined; updated_at?: number | undefined };
}

type GivenFile = Omit<NewAttachment, "target">;

async function create(request: UploadRequest, place: Place): Promise<AttachmentJson | Reply<AttachmentJson>> {
  const { forge, access, actor, upload, query } = request;
  requireEnabled(forge);
  const wanted = { place, updatedAt: query.updated_at };
  const target = await requireAttachable(forge, access, wanted, actor);
  const given = upload.isJson ? await announced(request, target) : await sent(request);
  if (given instanceof Reply) return given;
  const created = await createIssueAttachment(forge, access, place, { ...given, target }, actor);
  return presentAttachment(forge, created);
}

interface EditRequest extends Omit<UploadRequest, "upload" | "query"> {
  readonly body: { name?: string | undefined; browser_download_url?: string | undefined };
}

async function edit({ forge, access, actor, body }: EditRequest, place: Place, id: number) {
  requireEnabled(forge);
  const { name, browser_download_url: address } = body;
  const renamed = await renameIssueAttachment(forge, access, place, id, address ? undefined : name, actor);
  if (address) throw badRequest("this is no external attachment: it has no other address");
  return presentAttachment(forge, renamed);
}

/** A file that came before the request. */
async function announced(
  request: UploadRequest,
  target: NewAttachment["target"],
): Promise<GivenFile | Reply<AttachmentJson>> {
  const given = await announcedFile(request, target);
  if (given instanceof Reply) return given;
  return { file: given.file, updatedAt: request.query.updated_at ?? dateIn(given.body) };
}

/** A file that comes with the request. */
async function sent({ forge, access, upload, query }: UploadRequest): Promise<GivenFile> {
  const { fields, kept: sentFile } = await upload.form("attachment", mostAttachmentBytes(forge));
  if (sentFile === undefined) throw badRequest("the form lacks the file: a part named attachment");
  const kept = await receiveAttachment(forge, access.repository.id, sentFile);
  const field = readQuery(beside, new URLSearchParams(fields)) as UploadRequest["query"];
  const name = query.name ?? field.name ?? kept.name;
  if (!name) throw badRequest("the file has no name: give one with name");
  return { file: { ...kept, name }, updatedAt: query.updated_at ?? field.updated_at };
}

/** The two kinds of targets of attachments: their part of the operation ids, and their place. */
interface Holder {
  readonly noun: string;
  readonly what: string;
  readonly path: string;
  place(params: object): Place;
}
const holders: readonly Holder[] = [
  {
    noun: "Issue",
    what: "an issue",
    path: "/repos/{owner}/{repo}/issues/{index}/assets",
    place: (params) => ({ number: (params as { index: number }).index }),
  },
  {
    noun: "IssueComment",
    what: "a comment",
    path: "/repos/{owner}/{repo}/issues/comments/{id}/assets",
    place: (params) => ({ commentId: (params as { id: number }).id }),
  },
];
const idIn = (params: object): number => (params as { attachment_id: number }).attachment_id;

const wholeEndpoints = ({ noun, what, path, place }: Holder): Endpoint[] => [
  endpoint({
    id: `issueList${noun}Attachments`,
    tag: "issue",
    method: "get",
    path,
    summary: `List the attachments of ${what}`,
    needs: readsIssues,
    status: 200,
    returns: { list: Attachment },
    errors: [404],
    handle: async ({ forge, access, params, page }) => {
      requireEnabled(forge);
      const rows = await listIssueAttachments(forge, access, place(params));
      const listing = wholeUnlessAsked(rows, page);
      return { ...listing, items: listing.items.map((one) => presentAttachment(forge, one)) };
    },
  }),
  endpoint({
    id: `issueCreate${noun}Attachment`,
    tag: "issue",
    method: "post",
    path,
    summary: `Attach a file to ${what}`,
    description: `A form with one file. ${announcing}`,
    needs: writing,
    refusesArchived: true,
    query: beside,
    takesFile: { "multipart/form-data": AttachmentForm, "application/json": AnnounceAttachmentOption },
    status: 201,
    returns: { json: Attachment },
    otherReturns: { status: 202, json: AwaitedAttachment },
    errors: [400, 401, 403, 404, 409, 413, 422, 423],
    handle: (request) => create(request, place(request.params)),
  }),
];

const singleEndpoints = ({ noun, what, path, place }: Holder): Endpoint[] => [
  endpoint({
    id: `issueGet${noun}Attachment`,
    tag: "issue",
    method: "get",
    path: `${path}/{attachment_id}`,
    summary: `Get an attachment of ${what}`,
    needs: readsIssues,
    status: 200,
    returns: { json: Attachment },
    errors: [404],
    handle: async ({ forge, access, params }) => {
      requireEnabled(forge);
      return presentAttachment(forge, await getIssueAttachment(forge, access, place(params), idIn(params)));
    },
  }),
  endpoint({
    id: `issueEdit${noun}Attachment`,
    tag: "issue",
    method: "patch",
    path: `${path}/{attachment_id}`,
    summary: `Rename an attachment of ${what}`,
    needs: writing,
    refusesArchived: true,
    thingRights: ({ forge, access, actor, params }) =>
      renameIssueAttachment(forge, access, place(params), idIn(params), undefined, actor),
    body: EditAttachmentOptions,
    status: 201, // as the family answers, although nothing is created
    returns: { json: Attachment },
    errors: [400, 401, 403, 404, 422, 423],
    handle: (request) => edit(request, place(request.params), idIn(request.params)),
  }),
  endpoint({
    id: `issueDelete${noun}Attachment`,
    tag: "issue",
    method: "delete",
    path: `${path}/{attachment_id}`,
    summary: `Delete an attachment of ${what}`,
    needs: writing,
    refusesArchived: true,
    status: 204,
    errors: [401, 403, 404, 409, 423],
    handle: async ({ forge, access, actor, params }) => {
      requireEnabled(forge);
      await removeIssueAttachment(forge, access, place(params), idIn(params), actor);
      return undefined;
    },
  }),
];

export const attachmentEndpoints: readonly Endpoint[] = holders.flatMap((holder) => [
  ...wholeEndpoints(holder),
  ...singleEndpoints(holder),
]);
