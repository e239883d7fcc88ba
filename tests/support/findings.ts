import type { Forge } from "#core/forge";
import { checkAcrossRepositories, checkTable } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";

/** What breaks an invariant of the whole table. */
export async function findingsOf({ forge }: { readonly forge: Forge }): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of checkTable(forge)) findings.push(finding);
  return findings;
}

/** What breaks an invariant that holds across repositories: a small part of the work of `findingsOf`. */
export const findingsAcross = ({ forge }: { readonly forge: Forge }): Promise<readonly Finding[]> =>
  checkAcrossRepositories(forge);
