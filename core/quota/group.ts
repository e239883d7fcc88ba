import { conflict, notFound } from "../errors.ts";
import { type OutgoingMessage, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { startJob } from "../jobs/job.ts";
import { titleProblem } from "../text.ts";
import { changeDefinitions, checkedRule, type GivenRule, readDefinitions } from "./definitions.ts";
import type { QuotaDefinitions, QuotaGroup, QuotaRule } from "./quota.table.ts";
import { ruleIn } from "./rule.ts";

/** A group with its rules, in the order in which they joined it. */
export interface FullQuotaGroup {
  readonly name: string;
  readonly rules: readonly QuotaRule[];
}

/** The kind of the job that takes owners out of a deleted group. */
export const endingGroupKind = "end-quota-group";

/** Every group, by name. */
export async function listQuotaGroups(forge: Forge): Promise<FullQuotaGroup[]> {
  const definitions = await readDefinitions(forge);
  return definitions.groups
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((group) => fullGroup(definitions, group));
}

/** The group of this name; NotFound when there is none. */
export async function getQuotaGroup(forge: Forge, name: string): Promise<FullQuotaGroup> {
  const definitions = await readDefinitions(forge);
  return fullGroup(definitions, groupIn(definitions, name));
}

/**
 * Creates a group: a rule whose name is there is used as it is, any other is created, all in one write. 409 when the
 * name is taken, 422 when anything is not valid.
 */
export async function createQuotaGroup(
  forge: Forge,
  name: string,
  given: readonly GivenRule[],
): Promise<FullQuotaGroup> {
  const problem = titleProblem("Name", name);
  if (problem !== undefined) throw problem;
  const wanted = given.map(checkedRule);
  const created = await changeDefinitions(forge, ({ rules, groups, lastGroupId }) => {
    if (groups.some((one) => one.name === name)) throw conflict(`quota group exists [name: ${name}]`);
    const known = new Set(rules.map((one) => one.name));
    const added = new Map(wanted.filter((one) => !known.has(one.name)).map((one) => [one.name, one]));
    const group = {
      id: lastGroupId + 1,
      name,
      ruleNames: [...new Set(wanted.map((one) => one.name))],
    };
    return { rules: [...rules, ...added.values()], groups: [...groups, group], lastGroupId: group.id };
  });
  return fullGroup(created, groupIn(created, name));
}

/** Deletes a group: from now on nobody is in it, and a job removes its rows. Its rules stay. NotFound: there is none. */
export async function removeQuotaGroup(forge: Forge, name: string): Promise<void> {
  let message: OutgoingMessage | undefined;
  await changeDefinitions(forge, (current) => {
    const groupId = groupIn(current, name).id;
    const job = startJob(forge, endingGroupKind, { groupId, since: forge.clock.now() });
    message = job.message;
    return { groups: current.groups.filter(({ id }) => id !== groupId), writes: [job.write] };
  });
  await send(forge, message === undefined ? [] : [message]);
}

/** Adds a rule to a group. NotFound when one of them is missing, 409 when it is there already. */
export async function addQuotaGroupRule(forge: Forge, name: string, ruleName: string): Promise<void> {
  await changeRules(forge, name, ruleName, (ruleNames) => {
    if (ruleNames.includes(ruleName)) throw conflict(`${ruleName} is a rule of ${name} already`);
    return [...ruleNames, ruleName];
  });
}

/** Takes a rule out of a group. NotFound when one of them is missing, or the rule is not in the group. */
export async function removeQuotaGroupRule(forge: Forge, name: string, ruleName: string): Promise<void> {
  await changeRules(forge, name, ruleName, (ruleNames) => {
    if (!ruleNames.includes(ruleName)) throw notFound(`${ruleName} is no rule of ${name}`);
    return ruleNames.filter((one) => one !== ruleName);
  });
}

async function changeRules(
  forge: Forge,
  name: string,
  ruleName: string,
  change: (ruleNames: readonly string[]) => readonly string[],
): Promise<void> {
  await changeDefinitions(forge, (current) => {
    const group = groupIn(current, name);
    ruleIn(current, ruleName);
    const changed: QuotaGroup = { ...group, ruleNames: change(group.ruleNames) };
    return { groups: current.groups.map((one) => (one.id === group.id ? changed : one)) };
  });
}

/** The group of this name in the definitions; NotFound when there is none. */
export function groupIn({ groups }: QuotaDefinitions, name: string): QuotaGroup {
  const group = groups.find((one) => one.name === name);
  if (group === undefined) throw notFound(`quota group does not exist [name: ${name}]`);
  return group;
}

/** A group with its rules. */
export const fullGroup = ({ rules }: QuotaDefinitions, { name, ruleNames }: QuotaGroup): FullQuotaGroup => ({
  name,
  rules: ruleNames.flatMap((one) => rules.find((rule) => rule.name === one) ?? []),
});
