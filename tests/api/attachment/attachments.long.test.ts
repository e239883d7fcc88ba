import { describe, expect, it } from "vitest";
import { ids, kinds, useAttachments, world } from "./attachments-world.ts";
import { sendFile } from "./make.ts";

useAttachments();

describe.each(kinds)("attachments: $noun", ({ noun, path }) => {
  const names = ids[noun as keyof typeof ids];

  it(`${names.create} 201 each: several at once are all named and counted`, async () => {
    await Promise.all(
      [1, 2, 3, 4].map((number) => world.upload(path(), world.owner, { name: `${number}.txt` })),
    );
    const listed = await world.get(path());
    expect(new Set(listed.map(({ name }: { name: string }) => name)).size).toBe(4);
    expect(await world.usage()).toEqual([4, 20]);
  });

  it(`${names.delete} 204, 404: of two at once one does, and it is counted once`, async () => {
    const { id } = await world.upload(path(), world.author);
    await world.upload(path(), world.author);
    const answers = await Promise.all(
      [world.author, world.owner].map((as) => world.api.call("DELETE", `${path()}/${id}`, { as })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect(await world.usage()).toEqual([1, 5]);
  });
});

describe("what it costs", () => {
  /** Requests to the table, units written, objects written. */
  const spent = ({ headers }: { headers: Headers }) =>
    /table;desc="(\d+) requests, \S+ read and (\d+) .*objects;desc="\d+ reads, (\d+)/
      .exec(headers.get("server-timing") ?? "")
      ?.slice(1)
      .map(Number);

  it("a file of one part: one write in S3, 7 requests on an issue and 11 on a comment; reads: what hangs there", async () => {
    await world.upload(world.onIssue(), world.owner);
    const uploaded = await sendFile(world.api, world.onIssue(), world.owner);
    const call = async (method: string, path: string, body?: object) =>
      spent(await world.api.call(method, path, { as: world.owner, body }));
    const one = `${world.onIssue()}/${uploaded.json.id}`;
    expect([spent(uploaded), spent(await sendFile(world.api, world.onComment(), world.owner))]).toEqual([
      [7, 16, 1],
      [11, 20, 1],
    ]);
    expect([await call("GET", world.onIssue()), await call("GET", `${world.where.path}/issues/1`)]).toEqual([
      [3, 0, 0],
      [3, 0, 0],
    ]);
    expect([await call("PATCH", one, { name: "b.txt" }), await call("DELETE", one)]).toEqual([
      [4, 1, 0],
      [5, 16, 0],
    ]);
  });
});
