import { describe, expect, it } from "vitest";
import { blockingRow, dependencyRow } from "#core/dependency/dependency.table";
import { put } from "#core/table/write";
import { type Caller, makeApi } from "#tests/support/api";
import { emptyDeletedIssues, openIssue, timelineOf, withScopes } from "../issue/make.ts";
import { makeRepository, setRepository } from "../repository/make.ts";
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
  it("201: the issue of the path; closing it is 412 until the other one is closed (semantics §50)", async () => {
    const answer = await wait(2, 1);
    expect([answer.status, answer.json.number]).toEqual([201, 2]);
    expect(await titles("2/dependencies")).toEqual(["one"]);
    expect(await titles("1/blocks")).toEqual(["two"]);
    expect((await close(2)).status).toBe(412);
    expect((await call("GET", "2")).json.state).toBe("open");
    await close(1);
    expect((await close(2)).status).toBe(201);
    for (const [number, other] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const [entry] = (await call("GET", `${number}/timeline`)).json;
      expect(entry).toMatchObject({ type: "add_dependency", dependent_issue: { number: other } });
    }
  });

  it("409: twice, of two at once too; the reverse; a circle over others; 422: on itself", async () => {
    const both = await Promise.all([wait(2, 1), wait(2, 1)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await wait(1, 2)).status).toBe(409);
    expect((await wait(3, 2)).status).toBe(201);
    expect((await wait(1, 3)).status).toBe(409);
    expect((await wait(1, 1)).status).toBe(422);
    expect(await titles("1/dependencies")).toEqual([]);
  });

  it("404: no right to write it, an unknown issue or repository, one that the caller may not read, no dependencies", async () => {
    expect((await wait(2, 1, outsider)).status).toBe(404);
    expect((await wait(2, 9)).status).toBe(404);
    expect((await wait(9, 1)).status).toBe(404);
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner);
    for (const body of [meta(hidden, 1), { index: 1, owner: "nobody", repo: "none" }]) {
      expect((await call("POST", "2/dependencies", body, writer)).status).toBe(404);
    }
    const { tracker } = where.repository;
    await setRepository(api, where, { tracker: { ...tracker, hasDependencies: false } });
    expect((await wait(2, 1)).status).toBe(404);
    expect((await call("GET", "2/dependencies")).status).toBe(404);
    expect((await call("GET", "2/blocks")).status).toBe(200);
  });

  it("423: an archived repository; 422: no index", async () => {
    expect((await call("POST", "2/dependencies", {})).status).toBe(422);
    await api.call("PATCH", where.path, { as: owner, body: { archived: true } });
    expect((await wait(2, 1)).status).toBe(423);
  });
});

describe("issueRemoveIssueDependencies", () => {
  it("201 with the issue of the path, then 404 (semantics §50)", async () => {
    await wait(2, 1);
    const remove = () => call("DELETE", "2/dependencies", { index: 1 });
    expect((await call("DELETE", "2/dependencies", { index: 1 }, outsider)).status).toBe(404);
    const answer = await remove();
    expect([answer.status, answer.json.number]).toEqual([201, 2]);
    expect((await remove()).status).toBe(404);
    expect(await titles("1/blocks")).toEqual([]);
    expect((await timelineOf(api, where, 1)).map(({ type }) => type)).toEqual([
      "add_dependency",
      "remove_dependency",
    ]);
  });

  it("201: on an issue that the caller may not read any more, by its name or by the id that the list shows", async () => {
    const other = await makeRepository(api, owner);
    const ids = [];
    for (const title of ["a", "b"]) ids.push((await openIssue(api, other, owner, { title })).id);
    for (const index of [1, 2]) await call("POST", "2/dependencies", meta(other, index), writer);
    await api.call("PATCH", other.path, { as: owner, body: { private: true } });
    const remove = async (body: object, as: Caller) =>
      (await call("DELETE", "2/dependencies", body, as)).status;
    expect(await remove({ id: ids[1] }, outsider)).toBe(404);
    expect(await remove(meta(other, 1), outsider)).toBe(404);
    expect(await remove({ id: (await openIssue(api, where, owner)).id }, writer)).toBe(404);
    expect(await remove(meta(other, 1), writer)).toBe(201);
    expect(await remove({ id: ids[1] }, writer)).toBe(201);
    expect(await remove({ id: ids[1] }, writer)).toBe(404);
    expect((await close(2)).status).toBe(201);
    const blocked = await api.call("GET", `${other.path}/issues/1/blocks`, { as: owner });
    expect(blocked.json).toEqual([]);
    // An issue that the caller may not read gets no entry from them.
    expect((await timelineOf(api, other, 1)).map(({ type }) => type)).toEqual(["add_dependency"]);
  });

  it("422: neither index nor id, or both", async () => {
    expect((await call("DELETE", "2/dependencies", {})).status).toBe(422);
    expect((await call("DELETE", "2/dependencies", { index: 1, id: 1 })).status).toBe(422);
  });
});

describe("issueListIssueDependencies", () => {
  it("200: what the caller may not read is HIDDEN, to writers with its id alone (D-HIDDEN)", async () => {
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    const { id } = await openIssue(api, hidden, owner, { title: "secret", body: "text", closed: true });
    await call("POST", "2/dependencies", meta(hidden, 1));
    expect(await titles("2/dependencies")).toEqual(["secret"]);
    const publicOnly = await withScopes(api, owner, ["all", "public-only"]);
    for (const [as, shownId] of [
      [outsider, 0],
      [writer, id],
      [publicOnly, id],
    ] as const) {
      const { json, text } = await call("GET", "2/dependencies", undefined, as);
      const nowhere = { id: 0, name: "", full_name: "", owner: "" };
      expect(json).toMatchObject([{ id: shownId, title: "HIDDEN", number: 0, state: "open", body: "" }]);
      expect(json).toMatchObject([{ url: "", html_url: "", closed_at: null, repository: nowhere }]);
      expect(text).not.toContain(hidden.repository.name);
    }
  });

  it("200: paged with the total; what was deleted is gone, and no longer keeps it open", async () => {
    await wait(3, 1);
    await wait(3, 2);
    const page = await call("GET", "3/dependencies?limit=1&page=2");
    expect([page.json.length, page.headers.get("x-total-count")]).toEqual([1, "2"]);
    for (const number of [1, 2]) expect((await call("DELETE", String(number))).status).toBe(204);
    expect(await titles("3/dependencies")).toEqual([]);
    expect((await close(3)).status).toBe(201);
    await emptyDeletedIssues(api);
    const rows = await api.forge.table.queryAll({ pk: `I#${where.repository.id}.3`, prefix: "DEP#" });
    expect(rows).toEqual([]);
  });
});

describe("issueCreateIssueBlocking", () => {
  it("201: across repositories, from the other end; 400 where that is switched off, but for the end of an old one", async () => {
    const other = await makeRepository(api, owner);
    await openIssue(api, other, owner, { title: "elsewhere" });
    const answer = await call("POST", "1/blocks", meta(other, 1));
    expect([answer.status, answer.json.title]).toEqual([201, "one"]);
    expect(await titles("1/blocks")).toEqual(["elsewhere"]);
    const closing = { as: owner, body: { state: "closed" } };
    expect((await api.call("PATCH", `${other.path}/issues/1`, closing)).status).toBe(412);
    const strict = await makeApi({ settings: { ALLOW_CROSS_REPOSITORY_DEPENDENCIES: "false" } });
    try {
      const as = await strict.makeUser({ name: "olga" });
      const [one, two] = [await makeRepository(strict, as), await makeRepository(strict, as)];
      for (const place of [one, two]) await openIssue(strict, place, as);
      const body = { index: 1, owner: "olga", repo: two.repository.name };
      expect((await strict.call("POST", `${one.path}/issues/1/blocks`, { as, body })).status).toBe(400);
      const [waiting, on] = [one, two].map(({ repository }) => ({ repositoryId: repository.id, number: 1 }));
      if (waiting === undefined || on === undefined) throw new Error("there are two");
      await strict.forge.table.transact([put(dependencyRow(waiting, on)), put(blockingRow(on, waiting))]);
      const ended = await strict.call("DELETE", `${one.path}/issues/1/dependencies`, { as, body });
      expect(ended.status).toBe(201);
    } finally {
      await strict.stop();
    }
  });
});

describe("issues of a repository that is deleted", () => {
  it("keep nobody waiting, and are listed no more, before the job that empties it comes to them", async () => {
    const other = await makeRepository(api, owner);
    await openIssue(api, other, owner, { title: "elsewhere" });
    await call("POST", "1/dependencies", meta(other, 1));
    await api.call("DELETE", other.path, { as: owner });
    expect(await titles("1/dependencies")).toEqual([]);
    const closing = { as: owner, body: { state: "closed" } };
    expect((await api.call("PATCH", `${where.path}/issues/1`, closing)).status).toBe(201);
  });
});

describe("issueRemoveIssueBlocking", () => {
  it("201 with the issue of the path, then 404", async () => {
    await wait(2, 1);
    const remove = () => call("DELETE", "1/blocks", { index: 2 });
    const answer = await remove();
    expect([answer.status, answer.json.number]).toEqual([201, 1]);
    expect((await remove()).status).toBe(404);
    expect(await titles("2/dependencies")).toEqual([]);
  });
});

describe("issueListBlocks", () => {
  it("200: what the caller may not read is left out, also of the total", async () => {
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner, { title: "secret" });
    await call("POST", "1/blocks", meta(hidden, 1));
    await wait(2, 1);
    expect(await titles("1/blocks")).toEqual(["two", "secret"]);
    const answer = await call("GET", "1/blocks", undefined, outsider);
    expect([answer.json.length, answer.headers.get("x-total-count")]).toEqual([1, "1"]);
  });
});
