import { describe, expect, it } from "vitest";
import { realRemote } from "#tests/git/client/remotes";
import { hashesOf, pointerTo, startRaw } from "../mirror/lfs-world.ts";

import { lfsCopies } from "./lfs-copies.ts";

const { at, bob, stops, copyTo, makeTarget, handOn } = lfsCopies();

describe("repoPushMirrorSync with objects of Git LFS", () => {
  it("200: a server that fails gets no commits whose objects it lacks; it gets both once it is mended", async () => {
    const source = await at.world.makeSource(["one\n"]);
    const target = await makeTarget();
    let isMended = false;
    const between = await startRaw((request, response) => {
      if (!isMended && request.url?.includes("/info/lfs/")) return response.writeHead(500).end();
      return handOn(request, response);
    });
    stops.push(between.stop);
    const run = await copyTo(source, target.url.replace(at.world.origin, between.origin));
    expect(await run()).toMatch(/^Git LFS: the LFS server answered 500/);
    const branches = () => at.world.api.call("GET", `/repos/bob/${target.name}/branches`, { as: bob });
    expect((await branches()).json).toEqual([]);
    isMended = true;
    expect(await run()).toBe("");
    expect((await branches()).json).toHaveLength(1);
    expect(await at.world.contents(target.id)).toEqual(hashesOf(["one\n"]));
  });

  it("200: commits that come while objects are sent wait for the next run, which sends their objects first", async () => {
    const held = ["one\n"];
    const source = await at.world.makeSource(held, [pointerTo("not here\n")]);
    const target = await makeTarget();
    let isLate = false;
    const between = await startRaw(async (request, response) => {
      if (!isLate && request.url?.endsWith("/objects/batch")) {
        isLate = true;
        await at.world.add(source, ["late\n"]);
      }
      return handOn(request, response);
    });
    stops.push(between.stop);
    const run = await copyTo(source, target.url.replace(at.world.origin, between.origin));
    const file = `/repos/bob/${target.name}/contents/${pointerTo("late\n").oid}.bin`;
    const isNamed = async () => (await at.world.api.call("GET", file, { as: bob })).status === 200;
    expect(await run()).toBe("");
    const late = (await isNamed()) ? ["late\n"] : [];
    expect(await at.world.contents(target.id)).toEqual(hashesOf([...held, ...late]));
    expect(await run()).toBe("");
    expect(await isNamed()).toBe(true);
    expect(await at.world.contents(target.id)).toEqual(hashesOf([...held, "late\n"]));
  });

  it("200: an upload address that is blocked is not reached, and credentials go to no other origin", async () => {
    const source = await at.world.makeSource(["one\n"]);
    const named = [pointerTo("one\n"), pointerTo("two\n")];
    const heard: (string | undefined)[] = [];
    const elsewhere = await startRaw((request, response) => {
      heard.push(request.headers.authorization);
      request.resume().on("end", () => response.writeHead(200).end());
    }, "127.0.0.2");
    const remote = await realRemote("sha1");
    let href = `${elsewhere.origin}/put`;
    const passed = remote.server.listeners("request") as ((...of: unknown[]) => void)[];
    remote.server.removeAllListeners("request");
    remote.server.on("request", (request, response) => {
      if (!request.url?.includes("/info/lfs/")) {
        for (const one of passed) one(request, response);
        return;
      }
      const objects = named.map(({ oid }) => ({ oid, actions: { upload: { href } } }));
      response.writeHead(200).end(JSON.stringify({ objects }));
    });
    stops.push(elsewhere.stop);
    const run = await copyTo(source, remote.url);
    expect(await run()).toBe("");
    expect(heard).toEqual([undefined]);
    await at.world.add(source, ["two\n"]);
    href = "http://10.0.0.1/put";
    expect(await run()).toMatch(/10\.0\.0\.1/);
    expect(heard).toHaveLength(1);
  });
});
