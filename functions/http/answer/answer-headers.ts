import type { Config } from "#core/config";
import type { Usage } from "#core/meter";

/** Sets the headers of every answer. */
export const commonHeaders =
  ({ xFrameOptions }: Config) =>
  (headers: Headers): void => {
    headers.set("x-content-type-options", "nosniff");
    headers.set("x-frame-options", xFrameOptions);
    if (headers.has("cache-control")) return;
    headers.set("cache-control", "private, max-age=0, must-revalidate, no-transform");
  };

/** Sets the headers of one answer: the id of its request and, in the one-machine mode, its cost. */
export function setOwnHeaders(
  { headers, status }: Response,
  requestId: string,
  usage: Usage | undefined,
): void {
  headers.set("x-request-id", requestId);
  // The cost of a refusal would reveal the difference between hidden and absent (D-HIDDEN).
  if (usage === undefined || status >= 400) return;
  const { tableRequests, tableReadUnits, tableWriteUnits, blobReads, blobWrites } = usage;
  headers.set(
    "server-timing",
    `table;desc="${tableRequests} requests, ${tableReadUnits} read and ${tableWriteUnits} write units", ` +
      `objects;desc="${blobReads} reads, ${blobWrites} writes"`,
  );
}
