/**
 * What a rule may limit, by the names that the API knows (semantics §18.2, D-QUOTA-GIT). The wiki has two names, counts
 * nothing and is always within (D-QUOTA-WIKI); so is `none` (D-QUOTA-NONE).
 */
export const quotaSubjects = [
  "none",
  "size:all",
  "size:repos:all",
  "size:repos:public",
  "size:repos:private",
  "size:git:all",
  "size:git:lfs",
  "size:assets:all",
  "size:assets:attachments:all",
  "size:assets:attachments:issues",
  "size:assets:attachments:releases",
  "size:assets:artifacts",
  "size:assets:packages:all",
  "size:assets:wiki",
  "size:wiki",
] as const;
export type QuotaSubject = (typeof quotaSubjects)[number];

/** What is counted: the stored totals of an owner, in bytes. */
export const usageNames = [
  "publicRepositories",
  "privateRepositories",
  "lfs",
  "issueAttachments",
  "releaseAttachments",
  "artifacts",
  "packages",
] as const;
export type UsageName = (typeof usageNames)[number];
export type Usage = Readonly<Record<UsageName, number>>;
export const noUsage = Object.fromEntries(usageNames.map((name) => [name, 0])) as Usage;

/** The total that a subject without parts stands for. */
const totals: Readonly<Partial<Record<QuotaSubject, UsageName>>> = {
  "size:repos:public": "publicRepositories",
  "size:repos:private": "privateRepositories",
  "size:git:lfs": "lfs",
  "size:assets:attachments:issues": "issueAttachments",
  "size:assets:attachments:releases": "releaseAttachments",
  "size:assets:artifacts": "artifacts",
  "size:assets:packages:all": "packages",
};

const parts: Readonly<Partial<Record<QuotaSubject, readonly QuotaSubject[]>>> = {
  "size:all": ["size:repos:all", "size:git:lfs", "size:assets:all"],
  "size:repos:all": ["size:repos:public", "size:repos:private"],
  "size:git:all": ["size:repos:all", "size:git:lfs"],
  "size:assets:all": ["size:assets:attachments:all", "size:assets:artifacts", "size:assets:packages:all"],
  "size:assets:attachments:all": ["size:assets:attachments:issues", "size:assets:attachments:releases"],
};

const within: Readonly<Partial<Record<QuotaSubject, QuotaSubject>>> = {
  "size:repos:public": "size:repos:all",
  "size:repos:private": "size:repos:all",
  "size:repos:all": "size:git:all",
  "size:git:lfs": "size:git:all",
  "size:git:all": "size:all",
  "size:assets:attachments:issues": "size:assets:attachments:all",
  "size:assets:attachments:releases": "size:assets:attachments:all",
  "size:assets:attachments:all": "size:assets:all",
  "size:assets:artifacts": "size:assets:all",
  "size:assets:packages:all": "size:assets:all",
  "size:assets:all": "size:all",
};

/** The subjects that a subject consists of, none of which holds another; none for one that is counted itself. */
export const partsOf = (subject: QuotaSubject): readonly QuotaSubject[] => parts[subject] ?? [];

/** The subject itself and those that contain it, from the inside out. */
export function containersOf(subject: QuotaSubject): readonly QuotaSubject[] {
  const outer = within[subject];
  return outer === undefined ? [subject] : [subject, ...containersOf(outer)];
}

/** The bytes of a subject: what its parts have, each counted once. */
export function sizeOf(subject: QuotaSubject, usage: Usage): number {
  const total = totals[subject];
  if (total !== undefined) return usage[total];
  return partsOf(subject).reduce((sum, part) => sum + sizeOf(part, usage), 0);
}

/** Whether this is the name of a subject. */
export const isQuotaSubject = (name: string): name is QuotaSubject =>
  (quotaSubjects as readonly string[]).includes(name);
