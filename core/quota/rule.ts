import { conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { changeDefinitions, checkedRule, type GivenRule, readDefinitions } from "./definitions.ts";
import type { QuotaDefinitions, QuotaRule } from "./quota.table.ts";

/** Every rule, by name. */
export const listQuotaRules = async (forge: Forge): Promise<QuotaRule[]> =>
  (await readDefinitions(forge)).rules.toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** The rule of this name; NotFound when there is none. */
export async function getQuotaRule(forge: Forge, name: string): Promise<QuotaRule> {
  return ruleIn(await readDefinitions(forge), name);
}

/** Creates a rule. 409 when its name is taken, 422 when it is not valid. */
export async function createQuotaRule(forge: Forge, given: GivenRule): Promise<QuotaRule> {
  const rule = checkedRule(given);
  await changeDefinitions(forge, ({ rules }) => {
    if (rules.some(({ name }) => name === rule.name))
      throw conflict(`quota rule exists [name: ${rule.name}]`);
    return { rules: [...rules, rule] };
  });
  return rule;
}

/** Changes a rule; absent members stay. NotFound when there is none, 422 when it would not be valid. */
export async function editQuotaRule(
  forge: Forge,
  name: string,
  changes: Partial<Omit<GivenRule, "name">>,
): Promise<QuotaRule> {
  const edited = await changeDefinitions(forge, (current) => {
    const rule = checkedRule({ ...ruleIn(current, name), ...changes });
    return { rules: current.rules.map((one) => (one.name === name ? rule : one)) };
  });
  return ruleIn(edited, name);
}

/** Deletes a rule, in all groups too. NotFound when there is none. */
export async function removeQuotaRule(forge: Forge, name: string): Promise<void> {
  await changeDefinitions(forge, (current) => {
    ruleIn(current, name);
    return {
      rules: current.rules.filter((one) => one.name !== name),
      groups: current.groups.map((group) => ({
        ...group,
        ruleNames: group.ruleNames.filter((one) => one !== name),
      })),
    };
  });
}

/** The rule of this name in the definitions; NotFound when there is none. */
export function ruleIn({ rules }: QuotaDefinitions, name: string): QuotaRule {
  const rule = rules.find((one) => one.name === name);
  if (rule === undefined) throw notFound(`quota rule does not exist [name: ${name}]`);
  return rule;
}
