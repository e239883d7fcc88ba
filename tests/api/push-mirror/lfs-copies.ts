import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Caller } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { whileWorking } from "#tests/support/mirror-work";
import { type LfsMirrors, startLfsMirrors } from "../mirror/lfs-world.ts";

type Source = Awaited<ReturnType<LfsMirrors["makeSource"]>>;

/** For the file that calls it: copies that are kept of repositories with objects of Git LFS. */
export function lfsCopies() {
  const at = {} as { world: LfsMirrors };
  /** Who may read none of the sources: what comes to them was uploaded. */
  const bob = {} as Caller;
  const stops: (() => Promise<void>)[] = [];
  let made = 0;

  beforeAll(async () => {
    at.world = await startLfsMirrors();
    Object.assign(bob, await at.world.api.makeUser({ name: "bob" }));
  });
  afterAll(() => at.world.stop());
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** Keeps a copy of a repository at an address; answers what a run of it says. */
  async function copyTo({ name }: Source, remote_address: string) {
    const { api, alice } = at.world;
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
    const id = await makeRepository(at.world.api, bob, name, { private: true });
    return { id, name, url: `${at.world.origin}/bob/${name}.git` };
  }

  /** Asks the service what a server between was asked. */
  async function handOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const own = ["host", "connection", "transfer-encoding", "content-length"];
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !own.includes(name)),
    );
    const answer = await fetch(`${at.world.origin}${request.url}`, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  return { at, bob, stops, copyTo, makeTarget, handOn };
}
