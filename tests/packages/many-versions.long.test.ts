import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countedBy, type Forge } from "#core/forge";
import { packageSequenceKey } from "#core/ids";
import { countInto, noUsage, type Usage } from "#core/meter";
import { endSomePackages } from "#core/package/ends";
import { npmMetadata } from "#core/package/npm/manifest";
import { findPackage } from "#core/package/package";
import { packageIndex } from "#core/package/package.index";
import {
  listedVersionKey,
  type Package,
  type PackageVersion,
  packageKey,
  packageVersionId,
  versionKey,
} from "#core/package/package.table";
import type { PackageEntry } from "#core/package/package-entry";
import { put, update } from "#core/table/write";
import { createPackagesApp } from "#functions/packages/app";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { fillListIndex } from "#tests/support/fill-list-index";
import { askRegistry, npmDocument } from "./registry.ts";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
});
afterAll(() => api.stop());

const publish = async (owner: Caller, name: string, version: string) => {
  const body = npmDocument(name, version);
  const { status } = await askRegistry(api)("PUT", `/${owner.name}/npm/${name}`, { as: owner, body });
  expect(status).toBe(201);
};

const metadata = npmMetadata(
  { dependencies: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`dependency-${at}`, "^1.0.0"])) },
  { file: "tool.tgz", shasum: "0".repeat(40), integrity: `sha512-${"0".repeat(88)}` },
);

/** Gives a package so many versions more, and their rows, without a way through the registry. */
async function fill(owner: Caller, name: string, versions: number): Promise<void> {
  const { table } = api.forge;
  const found = (await findPackage(api.forge, { ownerId: owner.user.id, type: "npm", name })) as Package;
  const last = await table.increment(packageSequenceKey(owner.user.id), "n", versions);
  for (let at = 0; at < versions; at += 50) {
    const numbers = Array.from({ length: Math.min(50, versions - at) }, (_, nth) => last - at - nth);
    const writes = numbers.flatMap((number) => {
      const version = `1.0.${number}`;
      const shared = {
        ...{ number, packageId: found.id, type: found.type, name, version, createdAt: 1_700_000_000 },
        ...{ bytes: 1, v: 1, _v: 1 as const },
      };
      const item: PackageVersion = {
        ...{ ...versionKey(found.id, version), ...shared, id: packageVersionId(found.ownerId, number) },
        ...{ ownerId: found.ownerId, creatorId: found.ownerId, files: 0, downloads: 0, metadata },
      };
      return [put(item), put({ ...listedVersionKey(found.ownerId, number), ...shared })];
    });
    await table.transact(writes);
  }
  await table.write(update(packageKey(found.ownerId, "npm", name), { add: { versions, v: 1 } }));
}

/** What a piece of work asks of the stores. */
async function usageOf(work: (forge: Forge) => Promise<unknown>): Promise<Usage> {
  const usage = noUsage();
  await work(countedBy(api.forge, countInto(usage)));
  return usage;
}

describe("100,000 versions of an owner's packages", () => {
  it("list, filter, sort, search and get ask for a page of them, whatever the number", async () => {
    const owner = await api.makeUser({ name: "olga" });
    const { id } = owner.user;
    const most = 100_000;
    const entries = Array.from({ length: most }, (_, at): [number, PackageEntry] => [
      at + 1,
      {
        packageId: 1_000_000 + (at % 2_000),
        type: "npm",
        name: `tool-${at % 2_000}`,
        createdAt: 1,
        bytes: 1,
      },
    ]);
    await fillListIndex(api.forge, packageIndex(id), new Map(entries));
    await api.forge.table.increment(packageSequenceKey(id), "n", most);
    for (let at = 0; at < 5; at += 1) await publish(owner, "thing", `1.0.${at}`);
    const cost = async (path: string): Promise<string> => {
      await api.call("GET", path, { as: owner });
      const { status, headers, text } = await api.call("GET", path, { as: owner });
      expect(status, text).toBe(200);
      return `${headers.get("x-total-count") ?? "one"}: ${headers.get("server-timing")?.match(/table;desc="([^"]*)"/)?.[1]}`;
    };
    const search = async () => {
      const { tableRequests, tableReadUnits } = await usageOf(async (forge) => {
        const headers = { authorization: `Bearer ${owner.token}` };
        const path = "/api/packages/olga/npm/-/v1/search?text=thing";
        expect(await (await createPackagesApp(forge).request(path, { headers })).json()).toMatchObject({
          total: 1,
        });
      });
      return `${tableRequests} requests, ${tableReadUnits} read units`;
    };
    expect({
      cold: await search(),
      list: await cost("/packages/olga?limit=5"),
      filter: await cost("/packages/olga?q=thing&type=npm"),
      versions: await cost("/packages/olga/npm/thing"),
      latest: await cost("/packages/olga/npm/thing/-/latest"),
      get: await cost("/packages/olga/npm/thing/1.0.3"),
      largest: await cost("/user/quota/packages?limit=5"),
      search: await search(),
    }).toEqual({
      cold: "7 requests, 447.5 read units",
      list: "100005: 7 requests, 16.5 read and 0 write units",
      filter: "5: 7 requests, 16.5 read and 0 write units",
      versions: "5: 8 requests, 17.5 read and 0 write units",
      latest: "one: 8 requests, 9.5 read and 0 write units",
      get: "one: 5 requests, 5.5 read and 0 write units",
      largest: "100005: 5 requests, 15 read and 0 write units",
      search: "6 requests, 8 read units",
    });
  });
});

describe("the npm document of a package with many versions", () => {
  it("is read a megabyte at a time, and sent in pieces of 64 KiB as its client takes them", async () => {
    const owner = await api.makeUser({ name: "nora" });
    await publish(owner, "tool", "0.1.0");
    const read = async () => {
      const pieces: Buffer[] = [];
      const requests: number[] = [];
      const usage = noUsage();
      const app = createPackagesApp(countedBy(api.forge, countInto(usage)));
      const headers = { authorization: `Bearer ${owner.token}` };
      const { body } = await app.request("/api/packages/nora/npm/tool", { headers });
      for await (const piece of body ?? []) {
        pieces.push(Buffer.from(piece));
        requests.push(usage.tableRequests);
      }
      const whole = Buffer.concat(pieces);
      const { versions, time } = JSON.parse(whole.toString());
      const names = [Object.keys(versions).length, Object.keys(time).length];
      return { pieces, requests, bytes: whole.length, names };
    };
    await read();
    const one = await read();
    await fill(owner, "tool", 1_000);
    const some = await read();
    await fill(owner, "tool", 2_000);
    const many = await read();
    expect([one.names, some.names, many.names]).toEqual([
      [1, 3],
      [1_001, 1_003],
      [3_001, 3_003],
    ]);
    // A request for each megabyte: 100,000 versions like these are 87 MB, in 110 requests.
    expect((many.bytes - some.bytes) / 2_000).toBeCloseTo(867, -1);
    expect([one, some, many].map(({ requests }) => requests.at(-1))).toEqual([5, 5, 7]);
    expect(many.requests[1]).toBe(5);
    const longest = Math.max(...many.pieces.slice(0, -1).map(({ length }) => length));
    expect(longest).toBeLessThan(2 ** 16 + 2_048);
  });
});

describe("the purge of an owner with many versions", () => {
  it("takes steps of as many requests each, in proportion to the versions", async () => {
    const stepsFor = async (name: string, versions: number) => {
      const owner = await api.makeUser({ name });
      await publish(owner, "tool", "0.1.0");
      await fill(owner, "tool", versions);
      const steps: number[] = [];
      for (let hasMore = true; hasMore; ) {
        const usage = await usageOf(async (forge) => {
          ({ hasMore } = await endSomePackages(forge, owner.user.id));
        });
        steps.push(usage.tableRequests);
      }
      expect(await findPackage(api.forge, { ownerId: owner.user.id, type: "npm", name: "tool" })).toBe(
        undefined,
      );
      return steps;
    };
    const [some, more] = [await stepsFor("pia", 500), await stepsFor("paul", 1_500)];
    expect(Math.max(...some, ...more)).toBeLessThanOrEqual(12);
    expect(more.length).toBeLessThanOrEqual(3 * some.length);
  });
});
