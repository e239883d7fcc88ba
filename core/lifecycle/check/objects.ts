import type { Forge } from "../../forge.ts";
import { expressionOf } from "../item-kinds.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Finding } from "./finding.ts";

const mostTold = 20;

/** Invariant 21: each object in the bucket is of a kind that a noun declares. Lists all of them; tells of the first. */
export async function checkObjectKinds(
  { blobs }: Forge,
  lifecycles: readonly Lifecycle[],
): Promise<Finding[]> {
  const declared = lifecycles.flatMap(({ objects = [] }) => objects.map((one) => expressionOf(one, ".+")));
  const findings: Finding[] = [];
  for await (const { key } of blobs.list("")) {
    if (declared.some((kind) => kind.test(key))) continue;
    const remedy = "written by a program that is not ours, or an older one: look at it";
    findings.push({ invariant: 21, key, problem: "is an object of no kind that is known", remedy });
    if (findings.length === mostTold) break;
  }
  return findings;
}
