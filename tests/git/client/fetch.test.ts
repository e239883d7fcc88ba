import { describe, expect, it } from "vitest";
import { readRemoteRefs } from "#core/git/client/fetch";
import type { ObjectFormat } from "#core/git/format/object-format";
import { git, gitText } from "#tests/git/pack/real-git";
import {
  addCommits,
  addressOf,
  cloned,
  emptyRepository,
  fetchRemote,
  land,
  ourRefs,
  ourServer,
  realRemote,
  refsOf,
} from "./remotes.ts";

async function fetched(...args: Parameters<typeof fetchRemote>) {
  const outcome = await fetchRemote(...args);
  if (!outcome.ok) throw new Error(`${outcome.reason.kind}: ${outcome.reason.message}`);
  return outcome.value;
}

describe.each<[ObjectFormat, 0 | 2]>([
  ["sha1", 2],
  ["sha256", 2],
  ["sha1", 0],
])("fetchRemote from git http-backend, %s, protocol version %i", (format, version) => {
  it("brings all refs and objects, then only what is new; git finds nothing wrong with the copy", async () => {
    const remote = await realRemote(format, { objects: 200, version });
    const ours = await emptyRepository(format);
    const first = await fetched(addressOf(remote.url), ours.repository);
    expect(first.refs.head).toBe("refs/heads/main");
    const afterFirst = await land(ours.repository, first.refs.refs, first.pack);
    await first.dispose();
    expect(ourRefs(afterFirst)).toEqual(await refsOf(remote.folder));

    await addCommits(remote.folder, "main", 3);
    await addCommits(remote.folder, "other", 2);
    const second = await fetched(addressOf(remote.url), afterFirst);
    // Three objects a commit; what a thin pack rests on is added.
    expect(second.pack?.objectCount).toBeLessThanOrEqual(5 * 3 + (second.pack?.appendedCount ?? 0));
    const afterSecond = await land(afterFirst, second.refs.refs, second.pack);
    await second.dispose();

    const third = await fetched(addressOf(remote.url), afterSecond);
    expect(third.pack).toBeUndefined();
    const copy = await cloned(ours.url);
    expect(await refsOf(copy)).toEqual(await refsOf(remote.folder));
    const count = ["rev-list", "--objects", "--all", "--count"];
    expect(await gitText(copy, count)).toBe(await gitText(remote.folder, count));
  });
});

describe("fetchRemote", () => {
  it("fetches from our own server as from any", async () => {
    const source = await emptyRepository("sha1");
    const remote = await realRemote("sha1", { objects: 150 });
    const into = await fetched(addressOf(remote.url), source.repository);
    await land(source.repository, into.refs.refs, into.pack);
    await into.dispose();
    const target = await emptyRepository("sha1");
    const again = await fetched(addressOf(`${source.url}/`), target.repository);
    const landed = await land(target.repository, again.refs.refs, again.pack);
    await again.dispose();
    expect(ourRefs(landed)).toEqual(await refsOf(remote.folder));
    expect(again.refs).toEqual(into.refs);
  });

  it("lists refs by prefix, with what tags lead to; an empty remote has none and brings none", async () => {
    const remote = await realRemote("sha1", { objects: 150 });
    const listed = await readRemoteRefs(addressOf(remote.url), ["refs/tags/"]);
    const tags = await gitText(remote.folder, [
      "for-each-ref",
      "--format=%(objectname) %(*objectname)",
      "refs/tags",
    ]);
    expect(listed.ok && listed.value.refs.map(({ id, peeled }) => `${id} ${peeled}`).join("\n")).toBe(tags);
    const empty = await realRemote("sha256");
    const ours = await emptyRepository("sha256");
    const nothing = await fetched(addressOf(empty.url), ours.repository);
    expect(nothing.pack).toBeUndefined();
    expect(nothing.refs.refs).toEqual([]);
  });

  it("a history rewritten at the remote comes as it is now", async () => {
    const remote = await realRemote("sha1", { objects: 100 });
    const ours = await emptyRepository("sha1");
    const first = await fetched(addressOf(remote.url), ours.repository);
    const landed = await land(ours.repository, first.refs.refs, first.pack);
    await git(remote.folder, ["update-ref", "refs/heads/main", "main~3"]);
    await addCommits(remote.folder, "main", 2);
    const second = await fetched(addressOf(remote.url), landed);
    const after = await land(landed, second.refs.refs, second.pack);
    expect(ourRefs(after)).toEqual(await refsOf(remote.folder));
    await Promise.all([first.dispose(), second.dispose()]);
  });

  it("the other object format, a host that is not allowed, and nobody there are values that say so", async () => {
    const remote = await realRemote("sha256", { objects: 60 });
    const ours = await emptyRepository("sha1");
    const other = await fetchRemote(addressOf(remote.url), ours.repository);
    expect(other).toMatchObject({ ok: false, reason: { kind: "object-format" } });
    const away = await fetchRemote(addressOf("http://10.1.2.3/x.git"), ours.repository);
    expect(away).toMatchObject({ ok: false, reason: { kind: "refused" } });
    const nobody = await fetchRemote(addressOf("http://127.0.0.1:1/x.git"), ours.repository);
    expect(nobody).toMatchObject({ ok: false, reason: { kind: "unreachable" } });
    const absent = await fetchRemote(addressOf(remote.url.replace("remote", "none")), ours.repository);
    expect(absent).toMatchObject({ ok: false, reason: { kind: "not-found" } });
    const hidden = await fetchRemote(addressOf(`${(await ourServer()).url}/alice/none.git`), ours.repository);
    expect(hidden).toMatchObject({ ok: false, reason: { kind: "unauthorized" } });
  });
});
