import { detailsOfTransferred } from "#core/repository/details";
import { acceptTransfer, rejectTransfer, startTransfer } from "#core/repository/transfer/transfer";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentRepository } from "./present.ts";
import { Repository, TransferRepoOption } from "./schema.ts";

const repoTransfer = endpoint({
  id: "repoTransfer",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/transfer",
  summary: "Give a repository to another owner",
  description:
    "At once (202) when the caller may create repositories for the new owner, else (201) once the recipient accepts.",
  needs: { scope: ["repository"], login: true, repository: { mode: "owner" } },
  body: TransferRepoOption,
  status: 202,
  otherStatus: 201,
  returns: { json: Repository },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, actor, access, body } = request;
    const { kind, repository } = await startTransfer(forge, actor, access.repository, {
      newOwner: body.new_owner,
      teamIds: body.team_ids ?? [],
    });
    const details = await detailsOfTransferred(forge, actor, repository);
    const answer = presentRepository(viewOf(request), details);
    return kind === "done" ? answer : new Reply(answer, { status: 201 });
  },
});

const acceptRepoTransfer = endpoint({
  id: "acceptRepoTransfer",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/transfer/accept",
  summary: "Take a repository that is offered to the caller",
  needs: { scope: ["repository"], login: true, repository: { mode: "read" } },
  status: 202,
  returns: { json: Repository },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, actor, access } = request;
    const repository = await acceptTransfer(forge, actor, access.repository);
    const details = await detailsOfTransferred(forge, actor, repository);
    return presentRepository(viewOf(request), details);
  },
});

const rejectRepoTransfer = endpoint({
  id: "rejectRepoTransfer",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/transfer/reject",
  summary: "Decline a repository that is offered to the caller",
  needs: { scope: ["repository"], login: true, repository: { mode: "read" } },
  status: 200,
  returns: { json: Repository },
  errors: [401, 403, 404, 409],
  handle: async (request) => {
    const { forge, actor, access } = request;
    const repository = await rejectTransfer(forge, actor, access.repository);
    const details = await detailsOfTransferred(forge, actor, repository);
    return presentRepository(viewOf(request), details);
  },
});

export const repositoryTransferEndpoints = [repoTransfer, acceptRepoTransfer, rejectRepoTransfer];
