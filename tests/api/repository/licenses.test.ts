import { describe, expect, it } from "vitest";
import { commitOn, makeBase } from "#tests/api/pull/make";
import { makeRepository } from "#tests/api/repository/make";
import type { Caller } from "#tests/support/api";
import { alice, api, textOf, useLicenses } from "./licenses-world.ts";

useLicenses();

const licensesOf = async (path: string, as?: Caller) => {
  const { status, json } = await api.call("GET", `${path}/licenses`, { as });
  return [status, json];
};

describe("repoGetLicenses", () => {
  it("200: names those of the files of the first folder, whoever holds the copyright", async () => {
    const path = await makeBase(api, alice, "licensed", { license: "MIT" });
    expect(await licensesOf(path)).toEqual([200, ["MIT"]]);
    const write = (name: string, content: string) =>
      commitOn(api, path, "main", name, { as: alice, content });
    await write("COPYING", textOf("GPL-3.0"));
    await write("LICENSE-APACHE", `Copyright (c) 2001 Somebody Else\n\n${textOf("Apache-2.0")}`);
    await write("docs/LICENSE", textOf("BSD-2-Clause"));
    await write("licenses.txt", textOf("ISC"));
    expect(await licensesOf(path)).toEqual([200, ["Apache-2.0", "GPL-3.0-only", "MIT"]]);
  });

  it("200 with nothing of an empty repository, of other texts, of none that is short or long", async () => {
    expect(await licensesOf((await makeRepository(api, alice)).path)).toEqual([200, []]);
    const path = await makeBase(api, alice, "unlicensed");
    const write = (name: string, content: string) =>
      commitOn(api, path, "main", name, { as: alice, content });
    await write("LICENSE", "All of this is mine.\n");
    await write("LICENSE.md", "Do what you like with it, but ask before. ".repeat(40));
    await write("LICENSE.long", `${textOf("MIT")}${" and so on".repeat(7_000)}`);
    await write("COPYING", textOf("MIT").slice(0, 500));
    expect(await licensesOf(path)).toEqual([200, []]);
  });

  it("404 for who may not see the repository, or its code", async () => {
    const { path } = await makeRepository(api, alice, { isPrivate: true });
    const eve = await api.makeUser();
    expect((await licensesOf(path, eve))[0]).toBe(404);
    expect((await licensesOf(path))[0]).toBe(404);
    expect(await licensesOf(path, alice)).toEqual([200, []]);
  });
});
