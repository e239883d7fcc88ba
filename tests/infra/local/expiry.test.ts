import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { put } from "#core/table";
import { expire, objectLifetimes } from "#infra/local/expiry";
import { makeForge, type TestForge } from "#tests/support/forge";
import { declaredShape } from "../aws/declared-shape.ts";

let made: TestForge;
beforeAll(async () => {
  made = await makeForge();
});
afterAll(() => made.stop());

const day = 24 * 3600;
const never = new AbortController().signal;

it("removes items whose ttl is over, and no others", async () => {
  const { forge, clock, direct } = made;
  const now = Math.floor(clock.now() / 1000);
  for (const [sk, ttl] of Object.entries({ over: now - 1, now, later: now + 60 })) {
    await forge.table.write(put({ pk: "EXPIRY", sk, ttl }));
  }
  await forge.table.write(put({ pk: "EXPIRY", sk: "without" }));
  expect(await expire(forge, direct, never)).toMatchObject({ items: 1 });
  const left = await forge.table.queryAll({ pk: "EXPIRY" });
  expect(left.map(({ sk }) => sk)).toEqual(["later", "now", "without"]);
});

it("removes objects whose lifetime is over, by prefix", async () => {
  const { forge, clock, direct } = made;
  const name = randomUUID();
  const written = Date.now(); // the stand-in dates objects by the machine's clock
  for (const prefix of ["deliveries/", "q/", "r/"]) await forge.blobs.put(prefix + name, Buffer.from("x"));
  const left = async () => {
    const keys: string[] = [];
    for await (const { key } of forge.blobs.list("")) if (key.endsWith(name)) keys.push(key);
    return keys;
  };
  clock.set(written + 7.5 * day * 1000);
  await expire(forge, direct, never);
  expect(await left()).toEqual([`deliveries/${name}`, `r/${name}`]);
  clock.set(written + 8.5 * day * 1000);
  await expire(forge, direct, never);
  expect(await left()).toEqual([`r/${name}`]);
});

it("keeps the lifetimes that are deployed", async () => {
  const shape = await declaredShape("test", {
    SecretKey: Buffer.alloc(32).toString("base64"),
    OriginSecret: "an-origin-secret-of-32-characters",
  });
  const deployed = shape.bucket.lifecycle.flatMap(({ prefix, expiresAfterDays }) =>
    prefix === undefined || expiresAfterDays === undefined ? [] : [{ prefix, days: expiresAfterDays }],
  );
  expect(deployed.sort((one, other) => one.prefix.localeCompare(other.prefix))).toEqual(objectLifetimes);
});
