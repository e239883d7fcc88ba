import { describe, expect, it } from "vitest";
import { pushRemote } from "#core/git/client/push";
import type { ObjectFormat } from "#core/git/format/object-format";
import { git, gitText } from "#tests/git/pack/real-git";
import {
  addCommits,
  addressOf,
  emptyRepository,
  fetchRemote,
  land,
  opened,
  ourRefs,
  realRemote,
  refsOf,
} from "./remotes.ts";

/** A repository of ours with a generated history, and where it came from. */
async function filled(format: ObjectFormat) {
  const source = await realRemote(format, { objects: 160 });
  const ours = await emptyRepository(format);
  const first = await fetchRemote(addressOf(source.url), ours.repository);
  if (!first.ok) throw new Error(first.reason.message);
  const repository = await land(ours.repository, first.value.refs.refs, first.value.pack);
  await first.value.dispose();
  return { source, repository };
}

const id = (folder: string, name: string) => gitText(folder, ["rev-parse", name]);

describe.each<ObjectFormat>(["sha1", "sha256"])("pushRemote to git http-backend in %s", (format) => {
  it("creates, moves and deletes refs; a thin pack brings what is new; git finds nothing wrong", async () => {
    const { source, repository } = await filled(format);
    const target = await realRemote(format);
    const all = await pushRemote(addressOf(target.url), repository, {
      plan: () => repository.refs.entries.map(({ name, id }) => ({ name, new: id })),
    });
    expect(all.ok && all.value.results.every(({ refusal }) => refusal === undefined)).toBe(true);
    expect(await refsOf(target.folder)).toEqual(ourRefs(repository));

    await addCommits(source.folder, "main", 2);
    const more = await fetchRemote(addressOf(source.url), repository);
    const newer = more.ok ? await land(repository, more.value.refs.refs, more.value.pack) : repository;
    const moved = await pushRemote(addressOf(target.url), newer, {
      isAtomic: true,
      plan: ({ refs }) =>
        refs.flatMap(({ name, id }) => {
          if (name === "refs/heads/side") return [{ name, old: id }];
          const now = newer.refs.find(name)?.id;
          return now === undefined || now === id ? [] : [{ name, old: id, new: now }];
        }),
    });
    expect(moved).toEqual({
      ok: true,
      value: { results: [{ name: "refs/heads/main" }, { name: "refs/heads/side" }] },
    });
    expect(await id(target.folder, "main")).toBe(await id(source.folder, "main"));
    expect(await refsOf(target.folder)).not.toContain(expect.stringContaining("refs/heads/side"));
    await git(target.folder, ["fsck", "--full", "--strict"]);
  });
});

describe("pushRemote", () => {
  it("tells each ref's refusal in the remote's words, and lands the others", async () => {
    const { repository } = await filled("sha1");
    const target = await realRemote("sha1");
    await git(target.folder, ["config", "receive.denyDeletes", "true"]);
    const tip = repository.refs.find("refs/heads/main")?.id as string;
    const first = { plan: () => [{ name: "refs/heads/a", new: tip }] };
    await pushRemote(addressOf(target.url), repository, first);
    const outcome = await pushRemote(addressOf(target.url), repository, {
      plan: () => [
        { name: "refs/heads/a", old: tip },
        { name: "refs/heads/b", new: tip },
        { name: "refs/heads/a/c", new: tip },
      ],
    });
    const results = outcome.ok ? outcome.value.results : [];
    expect(results[0]?.refusal).toContain("deletion prohibited");
    expect(results[1]).toEqual({ name: "refs/heads/b" });
    expect(results[2]?.refusal).toBeTruthy();
  });

  it("pushes to our own server, which says what it refuses", async () => {
    const { repository } = await filled("sha1");
    const target = await emptyRepository("sha1");
    const tip = repository.refs.find("refs/heads/main")?.id as string;
    const plan = () => [
      { name: "refs/heads/main", new: tip },
      { name: "refs/heads/bad..name", new: tip },
    ];
    const outcome = await pushRemote(addressOf(target.url), repository, { plan });
    expect(outcome.ok && outcome.value.results.map(({ refusal }) => refusal !== undefined)).toEqual([
      false,
      true,
    ]);
    expect((await opened(target.id)).refs.find("refs/heads/main")?.id).toBe(tip);
    const nothing = await pushRemote(addressOf(target.url), repository, { plan: () => [] });
    expect(nothing).toEqual({ ok: true, value: { results: [] } });
  });
});
