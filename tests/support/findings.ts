import type { Forge } from "#core/forge";
import { checkTable } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";

/** What breaks an invariant of the whole table. */
export async function findingsOf({ forge }: { readonly forge: Forge }): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of checkTable(forge)) findings.push(finding);
  return findings;
}
