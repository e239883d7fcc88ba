import { describe, expect, it } from "vitest";
import { openIssue, timelineOf, withScopes } from "../issue/make.ts";
import { makeRepository } from "../repository/make.ts";
import {
  api,
  call,
  close,
  meta,
  outsider,
  owner,
  titles,
  useDependencies,
  wait,
  where,
  writer,
} from "./dependencies-world.ts";

useDependencies();

describe("issueCreateIssueDependencies", () => {
  it("201 and 409: of an issue on another and the reverse at once, one", async () => {
    const both = await Promise.all([wait(2, 1), wait(1, 2)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it("201 or 412: an issue is not closed while it gets something to wait for", async () => {
    const [added, closed] = await Promise.all([wait(2, 1), close(2)]);
    const { state } = (await call("GET", "2")).json;
    expect(added.status).toBe(201);
    expect([
      [201, "closed"],
      [412, "open"],
    ]).toContainEqual([closed.status, state]);
  });
});

describe("issueRemoveIssueDependencies", () => {
  it("201: with a token limited to what is public, on an issue of a private repository, which stays as it was", async () => {
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner);
    await call("POST", "2/dependencies", meta(hidden, 1));
    const before = (await api.call("GET", `${hidden.path}/issues/1`, { as: owner })).json.updated_at;
    api.clock.advance(5_000);
    const publicOnly = await withScopes(api, owner, ["all", "public-only"]);
    expect((await call("DELETE", "2/dependencies", meta(hidden, 1), publicOnly)).status).toBe(201);
    expect((await timelineOf(api, hidden, 1)).length).toBe(1);
    expect((await api.call("GET", `${hidden.path}/issues/1`, { as: owner })).json.updated_at).toBe(before);
  });
});

describe("issueListIssueDependencies", () => {
  it("200: an issue whose repository became private is HIDDEN to who may not read it now (D-HIDDEN)", async () => {
    const other = await makeRepository(api, owner);
    await openIssue(api, other, owner, { title: "secret" });
    await call("POST", "2/dependencies", meta(other, 1), writer);
    expect(await titles("2/dependencies", writer)).toEqual(["secret"]);
    await api.call("PATCH", other.path, { as: owner, body: { private: true } });
    for (const as of [writer, outsider]) expect(await titles("2/dependencies", as)).toEqual(["HIDDEN"]);
  });

  it("timeline: an entry about an issue that the caller may not read is left out, also of the total (semantics §48)", async () => {
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner);
    await wait(2, 1);
    await call("POST", "2/dependencies", meta(hidden, 1));
    await call("DELETE", "2/dependencies", meta(hidden, 1));
    const publicOnly = await withScopes(api, owner, ["all", "public-only"]);
    for (const [as, shown] of [
      [owner, 3],
      [writer, 1],
      [outsider, 1],
      [publicOnly, 1],
    ] as const) {
      const { json, headers } = await call("GET", "2/timeline", undefined, as);
      expect([json.length, headers.get("x-total-count")]).toEqual([shown, String(shown)]);
    }
  });
});

describe("issueCreateIssueBlocking", () => {
  it("404: the archived repository of what would wait; 201 from an archived one (semantics §35)", async () => {
    const other = await makeRepository(api, owner);
    await openIssue(api, other, owner);
    await api.call("PATCH", other.path, { as: owner, body: { archived: true } });
    expect((await call("POST", "1/blocks", meta(other, 1))).status).toBe(404);
    const body = meta(where, 1);
    const fromArchived = await api.call("POST", `${other.path}/issues/1/blocks`, { as: owner, body });
    expect(fromArchived.status).toBe(201);
  });
});
