import type { FullQuotaGroup } from "#core/quota/group";
import type { QuotaRule } from "#core/quota/quota.table";
import type { QuotaGroupJson, QuotaRuleInfoJson } from "./schema.ts";

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
