import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkDirectory } from "#core/check/directories";
import { type SegmentItem, segmentPrefixes, type TailItem } from "#core/directory/directory.table";
import { encodeColumn, rowCount, rowHeadBytes, rowsAt } from "#core/directory/internal/column";
import { fold } from "#core/directory/internal/fold";
import { readPointer } from "#core/directory/pointer";
import { repositoryDirectory } from "#core/directory/repositories";
import { repositoryAt, repositoryFormat } from "#core/directory/repository-entry";
import type { Forge } from "#core/forge";
import { put } from "#core/table/write";
import { createApi } from "#functions/api/app";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { holdStandIns } from "#tests/support/forge";
import { join, makeOrganization, makeRepository, makeTeam } from "../organization/make.ts";

/** Entries in the first format of the repositories' list index: without the units, which lie before the name. */
const { partition: pk, layout } = repositoryDirectory;
const earlierFormat = 1;

function asEarlier(entry: Buffer): Buffer {
  const bytes = Buffer.concat([entry.subarray(0, repositoryAt.units), entry.subarray(repositoryAt.name)]);
  bytes[0] = earlierFormat;
  return bytes;
}

function columnAsEarlier(column: Buffer): Buffer {
  const first = column.readUInt32BE(1);
  let at = rowsAt;
  const rows = Array.from({ length: rowCount(column) }, () => {
    const id = first + column.readUInt16BE(at);
    const start = at + rowHeadBytes;
    at = start + layout.length(column, start);
    return { id, bytes: asEarlier(column.subarray(start, at)) };
  });
  return encodeColumn(first, rows);
}

const tailOf = ({ table }: Forge) => table.queryAll<TailItem>({ pk, prefix: "T#" });
const segmentsOf = ({ table }: Forge) => table.queryAll<SegmentItem>({ pk, prefix: segmentPrefixes[0] });

/** Turns the list index into one that an earlier program would have left. */
async function makeEarlier(forge: Forge): Promise<void> {
  for (const item of await tailOf(forge))
    await forge.table.write(put({ ...item, e: asEarlier(Buffer.from(item.e)) }));
  for (const item of await segmentsOf(forge))
    await forge.table.write(put({ ...item, b: columnAsEarlier(Buffer.from(item.b)) }));
}

describe("entries of repositories that an earlier program wrote (decision 30)", () => {
  let api: TestApi;
  let callers: readonly (Caller | undefined)[];
  let errors: string[];
  beforeAll(holdStandIns);
  beforeEach(async () => {
    api = await makeApi();
    errors = [];
  });
  afterEach(() => api.stop());

  /** Pages of a process that has seen nothing yet. */
  async function pagesOf(): Promise<string[]> {
    const log = { ...api.forge.log, error: (event: string) => errors.push(event) };
    const fresh = createApi({ forge: { ...api.forge, log, table: { ...api.forge.table } } });
    const pages: string[] = [];
    for (const as of callers) {
      const paths = [
        "/repos/search",
        "/repos/search?sort=created&q=-",
        "/topics/search?q=",
        "/orgs/acme/repos",
      ];
      for (const path of as === undefined ? paths : [...paths, "/user/repos", "/user/repos?order_by=size"]) {
        const headers = as === undefined ? {} : { authorization: `token ${as.token}` };
        const response = await fresh.request(`/api/v1${path}`, { headers });
        pages.push(`${path} ${response.headers.get("x-total-count")} ${await response.text()}`);
      }
    }
    return pages;
  }

  async function makeSome(isFolded: boolean): Promise<void> {
    const alice = await api.makeUser({ name: "alice" });
    const carol = await api.makeUser({ name: "carol" });
    callers = [undefined, alice, carol, await api.makeUser({ name: "boss", isAdmin: true })];
    await makeOrganization(api, alice, "acme");
    const rights = {
      permission: "read",
      units_map: { "repo.issues": "read" },
      includes_all_repositories: true,
    };
    await join(api, alice, await makeTeam(api, alice, "acme", "triage", rights), carol);
    const send = (method: string, path: string, body: object = {}) =>
      api.call(method, path, { as: alice, body });
    for (const name of ["one-open", "two", "three", "four-gone"]) {
      await makeRepository(api, alice, "acme", name, { private: name !== "one-open" });
      await send("PUT", `/repos/acme/${name}/topics`, { topics: [name] });
    }
    await send("PATCH", "/repos/acme/two", { has_issues: false });
    if (isFolded) await fold(api.forge, repositoryDirectory);
    await makeRepository(api, alice, "acme", "five-new", { private: true });
    await send("PATCH", "/repos/acme/three", { has_issues: false, description: "changed" });
    await send("DELETE", "/repos/acme/four-gone");
  }

  it.each([
    ["in the tail alone", false],
    ["folded, and changed since", true],
  ])("%s: every list is what it is by new ones, from its first reading on", async (_where, isFolded) => {
    await makeSome(isFolded);
    const pages = await pagesOf();
    expect(pages.filter((page) => page.startsWith("/orgs/acme/repos 2 "))).toHaveLength(1); // carol's
    await makeEarlier(api.forge);
    expect(await checkDirectory(api.forge, repositoryDirectory, 2)).toEqual([]);
    expect(await pagesOf()).toEqual(pages);
    expect(await pagesOf()).toEqual(pages);
    expect(errors).toEqual([]);
  });

  it("they are folded in the present format soon, however few", async () => {
    await makeSome(true);
    await makeEarlier(api.forge);
    const pages = await pagesOf();
    const work = (event: Parameters<typeof repositoryEventsWorker>[1]) =>
      repositoryEventsWorker(api.forge, event);
    expect((await api.queues.drain("repository-events", work)).failed).toBe(0);
    expect(await tailOf(api.forge)).toEqual([]);
    expect(await pagesOf()).toEqual(pages);
    expect(await checkDirectory(api.forge, repositoryDirectory, 2)).toEqual([]);
    const named = (await readPointer(api.forge, repositoryDirectory)).segments.map(({ id }) => id);
    const written = (await segmentsOf(api.forge)).filter(({ sk }) => named.some((id) => sk.endsWith(id)));
    const formats = written.map(({ b }) => Buffer.from(b)[rowsAt + rowHeadBytes]);
    expect(formats).toEqual([repositoryFormat]);
  });
});
