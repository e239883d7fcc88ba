import type { Owner } from "#core/owner/owner";
import type { VersionInPackage } from "#core/package/list";
import type { UsedArtifact } from "#core/quota/artifacts";
import type { UsedAttachment } from "#core/quota/attachments";
import type { FullQuotaGroup } from "#core/quota/group";
import type { Quota } from "#core/quota/quota";
import type { QuotaRule } from "#core/quota/quota.table";
import { apiLinkTo, linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { packageLink } from "../package/show.ts";
import type {
  QuotaGroupJson,
  QuotaInfoJson,
  QuotaRuleInfoJson,
  QuotaUsedArtifactJson,
  QuotaUsedAttachmentJson,
  QuotaUsedPackageJson,
} from "./schema.ts";

/** A rule as administrators see it. */
export const presentRule = (rule: QuotaRule): QuotaRuleInfoJson => ({ name: rule.name, ...nameless(rule) });

/** A group as administrators see it. */
export const presentGroup = ({ name, rules }: FullQuotaGroup): QuotaGroupJson => ({
  name,
  rules: rules.map(presentRule),
});

const nameless = ({ limit, subjects }: QuotaRule): QuotaRuleInfoJson => ({
  limit,
  ...(subjects.length === 0 ? {} : { subjects: [...subjects] }),
});

/** Usage and groups; names of groups and rules are for administrators (semantics §18.4). */
export const presentQuota = (
  { usage, groups }: Quota,
  { isNamed }: { readonly isNamed: boolean },
): QuotaInfoJson => ({
  used: {
    size: {
      repos: { public: usage.publicRepositories, private: usage.privateRepositories },
      git: { LFS: usage.lfs },
      assets: {
        attachments: { issues: usage.issueAttachments, releases: usage.releaseAttachments },
        artifacts: usage.artifacts,
        packages: { all: usage.packages },
      },
    },
  },
  groups: groups.map((group) => (isNamed ? presentGroup(group) : { rules: group.rules.map(nameless) })),
});

/** An artifact that counts, with the page of its run. */
export const presentUsedArtifact = (
  { config }: View,
  owner: Owner,
  { artifact: { name, runId, sizeBytes }, card }: UsedArtifact,
): QuotaUsedArtifactJson => ({
  name,
  size: sizeBytes,
  html_url: linkTo(config, owner.name, card.name, "actions", "runs", runId, "artifacts", name),
});

/** A version of a package that counts. */
export const presentUsedPackage = (
  { config }: View,
  owner: Owner,
  { version: { name, type, version, bytes } }: VersionInPackage,
): QuotaUsedPackageJson => ({
  ...{ name, type, version, size: bytes },
  html_url: packageLink(config, owner, { type, name, version }),
});

/** An attachment that counts, with the addresses of what it is on. */
export function presentUsedAttachment(
  view: View,
  owner: Owner,
  { attachment, card, on }: UsedAttachment,
): QuotaUsedAttachmentJson {
  const { api, page } = addressOf(on);
  const container = apiLinkTo(view.config, "repos", owner.name, card.name, ...api);
  const { path, fragment = "" } = page;
  return {
    name: attachment.name,
    size: attachment.sizeBytes,
    api_url: `${container}/assets/${attachment.id}`,
    contained_in: {
      api_url: container,
      html_url: linkTo(view.config, owner.name, card.name, ...path) + fragment,
    },
  };
}

type Segments = readonly (string | number)[];

/** The ends of the addresses of what an attachment is on. */
function addressOf(on: UsedAttachment["on"]): {
  readonly api: Segments;
  readonly page: { readonly path: Segments; readonly fragment?: string };
} {
  if (on.kind === "release") {
    const { id, tagName } = on.release;
    return { api: ["releases", id], page: { path: ["releases", "tag", ...tagName.split("/")] } };
  }
  if (on.kind === "issue") {
    const { kind, number } = on.issue;
    return { api: ["issues", number], page: { path: [kind === "pull" ? "pulls" : "issues", number] } };
  }
  const { id, issueKind, issueNumber } = on.comment;
  const path = [issueKind === "pull" ? "pulls" : "issues", issueNumber];
  return { api: ["issues", "comments", id], page: { path, fragment: `#issuecomment-${id}` } };
}
