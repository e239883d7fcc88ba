import type { Endpoint } from "#functions/http/endpoint";
import { endpoints } from "#tests/support/endpoints";
import { describeRights } from "./rights-matrix.ts";

/** One operation for each combination of needs; `rights-matrix.soak.test.ts` takes them all. */
const distinct = new Map<string, Endpoint>();
for (const one of endpoints) {
  const key = JSON.stringify({ ...one.needs, scope: undefined });
  if (!distinct.has(key)) distinct.set(key, one);
}
describeRights([...distinct.values()]);
