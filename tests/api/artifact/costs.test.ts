import { afterAll, beforeAll, expect, it } from "vitest";
import { listArtifactsOfRun } from "#core/artifact/artifact";
import { artifactIndex } from "#core/artifact/artifact.index";
import { confirmArtifact } from "#core/artifact/confirm";
import { openArtifact } from "#core/artifact/open";
import { addArtifactPiece, orderArtifactPieces } from "#core/artifact/pieces";
import { countedBy, type Forge } from "#core/forge";
import { countInto, noUsage } from "#core/meter";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { fillListIndex } from "#tests/support/fill-list-index";
import { spooled } from "./world.ts";

let api: TestApi;
let owner: Caller;
let id = 0;
const path = "/repos/olga/r/actions/artifacts";

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  owner = await api.makeUser({ name: "olga" });
  id = await makeRepository(api, owner, "r");
  await api.call("PATCH", "/repos/olga/r", { as: owner, body: { has_actions: true } });
});
afterAll(() => api.stop());

/** What a verb asks of the stores. */
async function usageOf<T>(act: (forge: Forge) => Promise<T>): Promise<[T, string]> {
  const usage = noUsage();
  const result = await act(countedBy(api.forge, countInto(usage)));
  const { tableRequests, tableReadUnits, tableWriteUnits, blobReads, blobWrites } = usage;
  return [
    result,
    `${tableRequests} requests, ${tableReadUnits} r, ${tableWriteUnits} w, ${blobReads} + ${blobWrites} of S3`,
  ];
}
const costIn = (headers: Headers) => headers.get("server-timing")?.match(/table;desc="([^"]*)"/)?.[1] ?? "";
async function costOf(method: string, to: string): Promise<string> {
  const { status, headers, text } = await api.call(method, `${path}${to}`, { as: owner });
  expect([200, 204, 302], text).toContain(status);
  return costIn(headers);
}

it("uploads in pieces, lists of 10,000, downloads and deletions ask this much of the stores", async () => {
  const [upload, opened] = await usageOf((forge) => openArtifact(forge, id, { runId: 7, name: "logs" }));
  const [, piece] = await usageOf((forge) => addArtifactPiece(forge, upload, { block: "1" }, spooled("one")));
  await addArtifactPiece(api.forge, upload, { block: "2" }, spooled("two"));
  const [, ordered] = await usageOf((forge) => orderArtifactPieces(forge, upload, ["1", "2"]));
  const [artifact, confirmed] = await usageOf((forge) => confirmArtifact(forge, upload, {}));
  const [, ofRun] = await usageOf((forge) => listArtifactsOfRun(forge, id, 7));
  const [, ofName] = await usageOf((forge) => listArtifactsOfRun(forge, id, 7, "logs"));
  const entry = { state: "confirmed", runId: 3, name: "other" } as const;
  const others = Array.from({ length: 10_000 }, (_, at) => [at + 100, { ...entry, v: 1 }] as const);
  await fillListIndex(api.forge, artifactIndex(id), new Map(others));
  await costOf("GET", "?limit=1");
  expect({
    opened,
    piece,
    ordered,
    confirmed,
    ofRun,
    ofName,
    list: await costOf("GET", "?name=logs"),
    get: await costOf("GET", `/${artifact.id}`),
    zip: await costOf("GET", `/${artifact.id}/zip`),
    delete: await costOf("DELETE", `/${artifact.id}`),
  }).toEqual({
    opened: "3 requests, 1 r, 11 w, 0 + 0 of S3",
    piece: "3 requests, 2 r, 4 w, 0 + 1 of S3",
    ordered: "2 requests, 1 r, 4 w, 0 + 0 of S3",
    confirmed: "5 requests, 4 r, 14 w, 2 + 1 of S3",
    ofRun: "2 requests, 2 r, 0 w, 0 + 0 of S3",
    ofName: "2 requests, 2 r, 0 w, 0 + 0 of S3",
    list: "4 requests, 22 read and 0 write units",
    get: "1 requests, 6 read and 0 write units",
    zip: "1 requests, 6 read and 0 write units",
    delete: "3 requests, 7 read and 14 write units",
  });
});
