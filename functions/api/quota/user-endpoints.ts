import { listUsedArtifacts } from "#core/quota/artifacts";
import { listUsedAttachments } from "#core/quota/attachments";
import { listUsedPackages } from "#core/quota/packages";
import { isOwnerWithinQuota, readQuota } from "#core/quota/quota";
import { z } from "#zod";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentQuota, presentUsedArtifact, presentUsedAttachment, presentUsedPackage } from "./present.ts";
import {
  askedSubject,
  QuotaInfo,
  QuotaUsedArtifact,
  QuotaUsedAttachment,
  QuotaUsedPackage,
} from "./schema.ts";

const own = { tag: "user", needs: { scope: ["user"], login: true } } as const;

const userGetQuota = endpoint({
  ...own,
  id: "userGetQuota",
  method: "get",
  path: "/user/quota",
  summary: "Get what the caller uses, and the rules that limit it",
  status: 200,
  returns: { json: QuotaInfo },
  errors: [401, 403],
  handle: async ({ forge, actor }) => presentQuota(await readQuota(forge, actor.user.id), { isNamed: false }),
});

const userCheckQuota = endpoint({
  ...own,
  id: "userCheckQuota",
  method: "get",
  path: "/user/quota/check",
  summary: "Tell whether the caller is within their quota of a subject",
  query: { subject: askedSubject },
  status: 200,
  returns: { json: z.boolean() },
  errors: [401, 403, 422],
  handle: ({ forge, actor, query }) => isOwnerWithinQuota(forge, actor.user.id, query.subject),
});

const userListQuotaAttachments = endpoint({
  ...own,
  id: "userListQuotaAttachments",
  method: "get",
  path: "/user/quota/attachments",
  summary: "List the attachments in the caller's repositories, the largest first",
  cost: "heavy",
  status: 200,
  returns: { list: QuotaUsedAttachment, named: "QuotaUsedAttachmentList" },
  errors: [401, 403],
  handle: async (request) => {
    const { forge, actor, page } = request;
    const { items, total } = await listUsedAttachments(forge, actor, actor.user, page);
    return { items: items.map((one) => presentUsedAttachment(viewOf(request), actor.user, one)), total };
  },
});

const userListQuotaArtifacts = endpoint({
  ...own,
  id: "userListQuotaArtifacts",
  method: "get",
  path: "/user/quota/artifacts",
  summary: "List the artifacts of Actions in the caller's repositories, the largest first",
  cost: "heavy",
  status: 200,
  returns: { list: QuotaUsedArtifact, named: "QuotaUsedArtifactList" },
  errors: [401, 403],
  handle: async (request) => {
    const { forge, actor, page } = request;
    const { items, total } = await listUsedArtifacts(forge, actor, actor.user, page);
    return { items: items.map((one) => presentUsedArtifact(viewOf(request), actor.user, one)), total };
  },
});

const userListQuotaPackages = endpoint({
  ...own,
  id: "userListQuotaPackages",
  method: "get",
  path: "/user/quota/packages",
  summary: "List the versions of packages of the caller, the largest first",
  cost: "heavy",
  status: 200,
  returns: { list: QuotaUsedPackage, named: "QuotaUsedPackageList" },
  errors: [401, 403],
  handle: async (request) => {
    const { forge, actor, page } = request;
    const { items, total } = await listUsedPackages(forge, actor, actor.user, page);
    return { items: items.map((one) => presentUsedPackage(viewOf(request), actor.user, one)), total };
  },
});

export const userQuotaEndpoints = [
  userGetQuota,
  userCheckQuota,
  userListQuotaAttachments,
  userListQuotaArtifacts,
  userListQuotaPackages,
];
