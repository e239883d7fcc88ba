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

const owned = { tag: "organization", needs: { scope: ["organization"], organization: "owner" } } as const;

const orgGetQuota = endpoint({
  ...owned,
  id: "orgGetQuota",
  method: "get",
  path: "/orgs/{org}/quota",
  summary: "Get what an organization uses, and the rules that limit it",
  status: 200,
  returns: { json: QuotaInfo },
  errors: [401, 403, 404],
  handle: async ({ forge, organization: { organization } }) =>
    presentQuota(await readQuota(forge, organization.id), { isNamed: false }),
});

const orgCheckQuota = endpoint({
  ...owned,
  id: "orgCheckQuota",
  method: "get",
  path: "/orgs/{org}/quota/check",
  summary: "Tell whether an organization is within its quota of a subject",
  query: { subject: askedSubject },
  status: 200,
  returns: { json: z.boolean() },
  errors: [401, 403, 404, 422],
  handle: ({ forge, organization: { organization }, query }) =>
    isOwnerWithinQuota(forge, organization.id, query.subject),
});

const orgListQuotaAttachments = endpoint({
  ...owned,
  id: "orgListQuotaAttachments",
  method: "get",
  path: "/orgs/{org}/quota/attachments",
  summary: "List the attachments in an organization's repositories, the largest first",
  cost: "heavy",
  status: 200,
  returns: { list: QuotaUsedAttachment, named: "QuotaUsedAttachmentList" },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, page } = request;
    const { organization } = request.organization;
    const { items, total } = await listUsedAttachments(forge, actor, organization, page);
    return { items: items.map((one) => presentUsedAttachment(viewOf(request), organization, one)), total };
  },
});

const orgListQuotaArtifacts = endpoint({
  ...owned,
  id: "orgListQuotaArtifacts",
  method: "get",
  path: "/orgs/{org}/quota/artifacts",
  summary: "List the artifacts of Actions in an organization's repositories, the largest first",
  cost: "heavy",
  status: 200,
  returns: { list: QuotaUsedArtifact, named: "QuotaUsedArtifactList" },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, page } = request;
    const { organization } = request.organization;
    const { items, total } = await listUsedArtifacts(forge, actor, organization, page);
    return { items: items.map((one) => presentUsedArtifact(viewOf(request), organization, one)), total };
  },
});

const orgListQuotaPackages = endpoint({
  ...owned,
  id: "orgListQuotaPackages",
  method: "get",
  path: "/orgs/{org}/quota/packages",
  summary: "List the versions of packages of an organization, the largest first",
  cost: "heavy",
  status: 200,
  returns: { list: QuotaUsedPackage, named: "QuotaUsedPackageList" },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, page } = request;
    const { organization } = request.organization;
    const { items, total } = await listUsedPackages(forge, actor, organization, page);
    return { items: items.map((one) => presentUsedPackage(viewOf(request), organization, one)), total };
  },
});

export const organizationQuotaEndpoints = [
  orgGetQuota,
  orgCheckQuota,
  orgListQuotaAttachments,
  orgListQuotaArtifacts,
  orgListQuotaPackages,
];
