import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { realRemote, refsOf } from "#tests/git/client/remotes";
import type { Caller } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { whileWorking } from "#tests/support/mirror-work";
import { hashesOf, type LfsMirrors, pointerTo, startLfsMirrors, startRaw } from "../mirror/lfs-world.ts";

let world: LfsMirrors;
/** Who may read none of the sources: what comes to them was uploaded. */
let bob: Caller;
const stops: (() => Promise<void>)[] = [];
let made = 0;

beforeAll(async () => {
  world = await startLfsMirrors();
  bob = await world.api.makeUser({ name: "bob" });
});
afterAll(() => world.stop());
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Source = Awaited<ReturnType<LfsMirrors["makeSource"]>>;

/** Keeps a copy of a repository at an address; answers what a run of it says. */
async function copyTo({ name }: Source, remote_address: string) {
  const { api, alice } = world;
  const path = `/repos/alice/${name}/push_mirrors`;
  const login = { remote_username: "bob", remote_password: bob.token };
  const added = await api.call("POST", path, {
    as: alice,
    body: { remote_address, interval: "0", ...login },
  });
  expect(added.status).toBe(200);
  return async (): Promise<string> => {
    const { status } = await whileWorking(api, api.call("POST", `${path}-sync`, { as: alice }));
    expect(status).toBe(200);
    return (await api.call("GET", path, { as: alice })).json[0].last_error;
  };
}

/** An empty repository of bob's that takes the copy. */
async function makeTarget() {
  made += 1;
  const name = `copy-${made}`;
  const id = await makeRepository(world.api, bob, name, { private: true });
  return { id, name, url: `${world.origin}/bob/${name}.git` };
}

/** Asks the service what a server between was asked. */
async function handOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const own = ["host", "connection", "transfer-encoding", "content-length"];
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !own.includes(name)));
  const answer = await fetch(`${world.origin}${request.url}`, {
    method: request.method ?? "GET",
    headers: headers as Record<string, string>,
    ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

describe("repoPushMirrorSync with objects of Git LFS", () => {
  it("200: sends the objects that the commits name, and nothing twice (semantics §8, §55)", async () => {
    const held = ["", "one\n", randomBytes(3 * 2 ** 20)];
    const source = await world.makeSource(held, [pointerTo("not here\n")]);
    await world.store(source.id, "named by no commit\n");
    const target = await makeTarget();
    const run = await copyTo(source, target.url);
    expect(await run()).toBe("");
    expect(await world.contents(target.id)).toEqual(hashesOf(held));
    expect(await checkRepository(world.api.forge, target.id)).toEqual([]);
    world.taken();
    expect(await run()).toBe("");
    expect(world.taken()).toEqual([]);
    await world.add(source, ["two\n"]);
    expect(await run()).toBe("");
    const lfs = `/bob/${target.name}.git/info/lfs`;
    expect(world.taken()).toEqual([
      ...[`POST ${lfs}/objects/batch`, `PUT ${lfs}/objects/${pointerTo("two\n").oid}/4`],
      `POST ${lfs}/verify`,
    ]);
    expect(await world.contents(target.id)).toEqual(hashesOf([...held, "two\n"]));
  });

  it("200: a remote without Git LFS gets the pointers, and last_error says so", async () => {
    const source = await world.makeSource(["one\n"]);
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

  it("200: a server that fails gets no commits whose objects it lacks; it gets both once it is mended", async () => {
    const source = await world.makeSource(["one\n"]);
    const target = await makeTarget();
    let isMended = false;
    const between = await startRaw((request, response) => {
      if (!isMended && request.url?.includes("/info/lfs/")) return response.writeHead(500).end();
      return handOn(request, response);
    });
    stops.push(between.stop);
    const run = await copyTo(source, target.url.replace(world.origin, between.origin));
    expect(await run()).toMatch(/^Git LFS: the LFS server answered 500/);
    const branches = () => world.api.call("GET", `/repos/bob/${target.name}/branches`, { as: bob });
    expect((await branches()).json).toEqual([]);
    isMended = true;
    expect(await run()).toBe("");
    expect((await branches()).json).toHaveLength(1);
    expect(await world.contents(target.id)).toEqual(hashesOf(["one\n"]));
  });

  it("200: commits that come while objects are sent wait for the next run, which sends their objects first", async () => {
    const held = ["one\n"];
    const source = await world.makeSource(held, [pointerTo("not here\n")]);
    const target = await makeTarget();
    let isLate = false;
    const between = await startRaw(async (request, response) => {
      if (!isLate && request.url?.endsWith("/objects/batch")) {
        isLate = true;
        await world.add(source, ["late\n"]);
      }
      return handOn(request, response);
    });
    stops.push(between.stop);
    const run = await copyTo(source, target.url.replace(world.origin, between.origin));
    const file = `/repos/bob/${target.name}/contents/${pointerTo("late\n").oid}.bin`;
    const isNamed = async () => (await world.api.call("GET", file, { as: bob })).status === 200;
    expect(await run()).toBe("");
    const late = (await isNamed()) ? ["late\n"] : [];
    expect(await world.contents(target.id)).toEqual(hashesOf([...held, ...late]));
    expect(await run()).toBe("");
    expect(await isNamed()).toBe(true);
    expect(await world.contents(target.id)).toEqual(hashesOf([...held, "late\n"]));
  });

  it("200: an upload address that is blocked is not reached, and credentials go to no other origin", async () => {
    const source = await world.makeSource(["one\n"]);
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
    await world.add(source, ["two\n"]);
    href = "http://10.0.0.1/put";
    expect(await run()).toMatch(/10\.0\.0\.1/);
    expect(heard).toHaveLength(1);
  });
});
