import { quotaSubjects } from "#core/quota/subject";
import { z } from "#zod";

const subjects = z.array(z.string()).openapi({ description: `among ${quotaSubjects.join(", ")}` });
const limit = z.int().openapi({ format: "int64", description: "bytes; -1: no limit" });
const bytes = z.int().openapi({ format: "int64" });

export const QuotaRuleInfo = z
  .object({
    name: z.string().optional().openapi({ description: "for administrators alone" }),
    limit,
    subjects: subjects.optional(),
  })
  .openapi("QuotaRuleInfo");
export type QuotaRuleInfoJson = z.infer<typeof QuotaRuleInfo>;

export const QuotaGroup = z
  .object({
    name: z.string().optional().openapi({ description: "for administrators alone" }),
    rules: z.array(QuotaRuleInfo),
  })
  .openapi("QuotaGroup");
export type QuotaGroupJson = z.infer<typeof QuotaGroup>;

const QuotaUsedSize = z
  .object({
    repos: z.object({ public: bytes, private: bytes }).openapi("QuotaUsedSizeRepos"),
    git: z.object({ LFS: bytes }).openapi("QuotaUsedSizeGit"),
    assets: z
      .object({
        attachments: z.object({ issues: bytes, releases: bytes }).openapi("QuotaUsedSizeAssetsAttachments"),
        artifacts: bytes,
        packages: z.object({ all: bytes }).openapi("QuotaUsedSizeAssetsPackages"),
      })
      .openapi("QuotaUsedSizeAssets"),
  })
  .openapi("QuotaUsedSize");

export const QuotaInfo = z
  .object({
    used: z.object({ size: QuotaUsedSize }).openapi("QuotaUsed"),
    groups: z.array(QuotaGroup).openapi("QuotaGroupList"),
  })
  .openapi("QuotaInfo");
export type QuotaInfoJson = z.infer<typeof QuotaInfo>;

const text = z.string();

export const QuotaUsedAttachment = z
  .object({
    name: text,
    size: bytes,
    api_url: text,
    contained_in: z.object({ api_url: text, html_url: text }),
  })
  .openapi("QuotaUsedAttachment");
export type QuotaUsedAttachmentJson = z.infer<typeof QuotaUsedAttachment>;

export const QuotaUsedArtifact = z
  .object({ name: text, size: bytes, html_url: text })
  .openapi("QuotaUsedArtifact");
export type QuotaUsedArtifactJson = z.infer<typeof QuotaUsedArtifact>;

export const QuotaUsedPackage = z
  .object({ name: text, type: text, version: text, size: bytes, html_url: text })
  .openapi("QuotaUsedPackage");
export type QuotaUsedPackageJson = z.infer<typeof QuotaUsedPackage>;

/** The subject that a check asks for: 422 unless it is the name of one. */
export const askedSubject = z
  .string()
  .openapi({ description: `what to look at, among ${quotaSubjects.join(", ")}` });

const mostRules = 1_000;
const givenSubjects = subjects.max(100);

export const CreateQuotaRuleOptions = z
  .object({ name: z.string().min(1), limit, subjects: givenSubjects.optional() })
  .openapi("CreateQuotaRuleOptions");

export const EditQuotaRuleOptions = z
  .object({ limit: limit.optional(), subjects: givenSubjects.optional() })
  .openapi("EditQuotaRuleOptions");

export const CreateQuotaGroupOptions = z
  .object({
    name: z.string().min(1),
    rules: z
      .array(
        z.object({ name: z.string().min(1), limit: limit.default(0), subjects: givenSubjects.default([]) }),
      )
      .max(mostRules)
      .optional()
      .openapi({ description: "a rule whose name is there is used as it is, any other is created" }),
  })
  .openapi("CreateQuotaGroupOptions");

export const SetUserQuotaGroupsOptions = z
  .object({ groups: z.array(z.string()).max(mostRules) })
  .openapi("SetUserQuotaGroupsOptions");
