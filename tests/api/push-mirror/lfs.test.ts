import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { realRemote, refsOf } from "#tests/git/client/remotes";
import { hashesOf, pointerTo } from "../mirror/lfs-world.ts";

import { lfsCopies } from "./lfs-copies.ts";

const { at, copyTo, makeTarget } = lfsCopies();

describe("repoPushMirrorSync with objects of Git LFS", () => {
  it("200: sends the objects that the commits name, and nothing twice (semantics §8, §55)", async () => {
    const held = ["", "one\n", randomBytes(3 * 2 ** 20)];
    const source = await at.world.makeSource(held, [pointerTo("not here\n")]);
    await at.world.store(source.id, "named by no commit\n");
    const target = await makeTarget();
    const run = await copyTo(source, target.url);
    expect(await run()).toBe("");
    expect(await at.world.contents(target.id)).toEqual(hashesOf(held));
    expect(await checkRepository(at.world.api.forge, target.id)).toEqual([]);
    at.world.taken();
    expect(await run()).toBe("");
    expect(at.world.taken()).toEqual([]);
    await at.world.add(source, ["two\n"]);
    expect(await run()).toBe("");
    const lfs = `/bob/${target.name}.git/info/lfs`;
    expect(at.world.taken()).toEqual([
      ...[`POST ${lfs}/objects/batch`, `PUT ${lfs}/objects/${pointerTo("two\n").oid}/4`],
      `POST ${lfs}/verify`,
    ]);
    expect(await at.world.contents(target.id)).toEqual(hashesOf([...held, "two\n"]));
  });

  it("200: a remote without Git LFS gets the pointers, and last_error says so", async () => {
    const source = await at.world.makeSource(["one\n"]);
    const remote = await realRemote("sha1");
    const asked: string[] = [];
    remote.server.prependListener("request", (request: IncomingMessage) => {
      if (request.url?.includes("/info/lfs/")) request.on("data", (piece) => asked.push(String(piece)));
    });
    const run = await copyTo(source, remote.url);
    expect(await run()).toMatch(/^Git LFS: there is no LFS server/);
    expect(await refsOf(remote.folder)).toHaveLength(1);
    expect(asked.splice(0).join()).toContain(pointerTo("one\n").oid);
    // From then on it is asked before the history is searched.
    expect(await run()).toMatch(/^Git LFS: there is no LFS server/);
    expect(asked.join()).toContain(pointerTo("").oid);
    expect(asked.join()).not.toContain(pointerTo("one\n").oid);
  });
});
