import type { Forge } from "#core/forge";
import { checkAcrossRepositories, checkTable } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";

/** What breaks an invariant of the whole table. */
export async function findingsOf(
  { forge }: { readonly forge: Forge },
  options?: Parameters<typeof checkTable>[1],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of checkTable(forge, options)) findings.push(finding);
  return findings;
}

/** The same but for what waits for workers, which no test has at work: it would be found, and all looked at twice. */
export const findingsAtRest = (api: { readonly forge: Forge }): Promise<Finding[]> =>
  findingsOf(api, { isServed: false });

/** What breaks an invariant that holds across repositories: a small part of the work of `findingsOf`. */
export const findingsAcross = ({ forge }: { readonly forge: Forge }): Promise<readonly Finding[]> =>
  checkAcrossRepositories(forge);
