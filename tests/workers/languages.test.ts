import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findOwnerAccess } from "#core/access/owner-access";
import { findAccess } from "#core/access/repository-access";
import { defined } from "#core/defined";
import { listLanguages } from "#core/language/language";
import { languagesKey } from "#core/language/language.table";
import { recountLanguages } from "#core/language/recount";
import { createOrganization } from "#core/organization/create";
import { editRepository } from "#core/repository/edit";
import { forkRepository } from "#core/repository/fork/fork";
import { cardKey, type Repository } from "#core/repository/repository.table";
import { startTransfer } from "#core/repository/transfer/transfer";
import { put } from "#core/table/write";
import { createApi } from "#functions/api/app";
import type { JsonValue } from "#tests/support/api";
import { type HookWorld, makeHookWorld } from "./hook-world.ts";

let world: HookWorld;
beforeAll(async () => {
  world = await makeHookWorld();
});
afterAll(() => world.stop());

const main = "refs/heads/main";
const sizes = async ({ id }: Repository) => Object.fromEntries(await listLanguages(world.forge, id));
/** Pushes one commit to a branch, over what is there if `old` says so; answers its id. */
async function push(repository: Repository, files: Record<string, string>, ref = main, old?: string) {
  const [id = ""] = await world.push(repository, [{ files }], ([made = ""]) => [
    { name: ref, new: made, ...defined({ old }) },
  ]);
  return id;
}
const text = (bytes: number) => "x".repeat(bytes);

describe.each(["sha1", "sha256"] as const)(
  "languages of a %s repository (semantics §41.2, B-09)",
  (format) => {
    it("are counted by the names of files, most first; prose, data, documentation and what others wrote are not", async () => {
      const repository = await world.makeRepository(format);
      expect(await sizes(repository)).toEqual({});
      await push(repository, {
        ...{ "a.ts": text(30), "b.tsx": text(12), "main.go": text(50), Makefile: text(5), "x.h": text(3) },
        ...{ "README.md": text(900), "data.json": text(900), "jquery.min.js": text(900), unknown: text(900) },
        ...{ "api.pb.go": text(900), ".eslintrc.js": text(900), "CHANGELOG.py": text(900) },
      });
      await world.runEvents();
      expect(Object.entries(await sizes(repository))).toEqual([
        ["Go", 50],
        ["TypeScript", 42],
        ["Makefile", 5],
        ["C", 3],
      ]);
    });
  },
);

describe("languages", () => {
  it("obey .gitattributes: another language, vendored or not, generated, detectable", async () => {
    const repository = await world.makeRepository();
    const attributes = [
      "*.inc linguist-language=Pascal",
      "lib.js linguist-vendored",
      "kept.min.js -linguist-vendored",
      "made.py linguist-generated=true",
      "*.sql linguist-detectable",
      "odd.rb linguist-language=No-Such-Language",
    ].join("\n");
    await push(repository, {
      ...{ ".gitattributes": attributes, "a.inc": text(7), "lib.js": text(900), "kept.min.js": text(6) },
      ...{ "made.py": text(900), "schema.sql": text(5), "odd.rb": text(900) },
    });
    await world.runEvents();
    expect(await sizes(repository)).toEqual({ Pascal: 7, JavaScript: 6, SQL: 5 });
  });

  it("are those of the default branch: pushes elsewhere change nothing, another default branch and its end do", async () => {
    const repository = await world.makeRepository();
    await push(repository, { "a.go": text(9) });
    const tip = await push(repository, { "a.rs": text(4) }, "refs/heads/side");
    await world.runEvents();
    expect(await sizes(repository)).toEqual({ Go: 9 });
    const access = await findAccess(world.forge, world.actor, "Olga", repository.name);
    await editRepository(world.forge, world.actor, access?.repository ?? repository, {
      defaultBranch: "side",
    });
    await world.runEvents();
    expect(await sizes(repository)).toEqual({ Rust: 4 });
    await push(repository, { "b.py": text(3) }, "refs/heads/side", tip);
    await world.runEvents();
    expect(await sizes(repository)).toEqual({ Python: 3 });
  });

  it("are answered with the repository, in lists too, and go with it to another owner and into forks", async () => {
    const { forge, actor, owner } = world;
    const repository = await world.makeRepository();
    await push(repository, { "a.go": text(9), "b.c": text(2) });
    await world.runEvents();
    const app = createApi({ forge });
    const show = async (path: string): Promise<JsonValue> => (await app.request(`/api/v1${path}`)).json();
    const path = `/repos/Olga/${repository.name}`;
    expect(await show(`${path}/languages`)).toEqual({ Go: 9, C: 2 });
    expect((await show(path)).language).toBe("Go");
    const found = await show(`/repos/search?q=${repository.name}`);
    expect(found.data[0].language).toBe("Go");

    const organization = await createOrganization(forge, owner, { name: "acme" });
    const access = await findAccess(forge, actor, "Olga", repository.name);
    if (access === undefined) throw new Error("the repository is not there");
    await startTransfer(forge, actor, access.repository, { newOwner: organization.name });
    expect((await show(`/repos/acme/${repository.name}`)).language).toBe("Go");
    const source = await findAccess(forge, actor, "acme", repository.name);
    if (source === undefined) throw new Error("the repository is not there");
    const target = await findOwnerAccess(forge, actor, "Olga");
    if (target === undefined) throw new Error("the owner is not there");
    const fork = await forkRepository(forge, actor, source, target);
    await world.runEvents();
    expect([await sizes(fork), (await show(`/repos/Olga/${fork.name}`)).language]).toEqual([
      { Go: 9, C: 2 },
      "Go",
    ]);
  });

  it("do not go back to older refs, and are counted once a commit", async () => {
    const { forge } = world;
    const repository = await world.makeRepository();
    const tip = await push(repository, { "a.go": text(9) });
    await recountLanguages(forge, repository.id);
    const item = await forge.table.get(languagesKey(repository.id));
    const card = async () => forge.table.get(cardKey(repository.ownerId, repository.id));
    const before = await card();
    await recountLanguages(forge, repository.id);
    expect(await card()).toEqual(before);
    const newer = { ...languagesKey(repository.id), ...item, edition: 1_000, sizes: [["Rust", 1]] };
    await forge.table.write(put(newer));
    await push(repository, { "a.c": text(9) }, main, tip);
    await world.runEvents();
    expect(await sizes(repository)).toEqual({ Rust: 1 });
  });

  it("of two counts at once the one that saw the newer refs stays", async () => {
    const repository = await world.makeRepository();
    const tip = await push(repository, { "a.go": text(9) });
    const first = recountLanguages(world.forge, repository.id);
    await push(repository, { "a.rs": text(4) }, main, tip);
    await Promise.all([first, recountLanguages(world.forge, repository.id)]);
    await recountLanguages(world.forge, repository.id);
    expect(await sizes(repository)).toEqual({ Rust: 4 });
  });
});
