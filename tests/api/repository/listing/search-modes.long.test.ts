import { describe, expect, it } from "vitest";
import { namesIn } from "../../organization/make.ts";
import { alice, api, ask, bob, carol, forks, found, shy, useModes, work } from "./search-modes-world.ts";

useModes();

describe("repoSearch with priority_owner_id (OP-repoSearch)", () => {
  it("200: of the owner's private ones only those that the caller may see come first (B-18)", async () => {
    const query = `priority_owner_id=${alice.user.id}`;
    const open = ["alice/apple", "alice/berry", "alice/glass"];
    expect(await found(query)).toEqual([...open, ...forks]);
    expect(await found(query, bob)).toEqual([
      ...[...open, "alice/vault", "alice/well"],
      ...["bob/apple", "carol/apple", "carol/berry", "acme/desk"],
    ]);
    expect(await found(`${query}&private=false`, bob)).toEqual([...open, ...forks]);
    expect(await found(`${query}&is_private=true`, bob)).toEqual(["alice/vault", "alice/well", "acme/desk"]);
    expect(await found(`${query}&is_private=true`, carol)).toEqual([]);
  });

  it("200: of an owner who is hidden, of nobody, or of none nothing comes first (B-18)", async () => {
    const plain = await found("");
    for (const id of [shy.user.id, 999_999, 0, -1]) {
      expect(await found(`priority_owner_id=${id}`), String(id)).toEqual(plain);
    }
    const all = await found("", shy);
    expect(await found(`priority_owner_id=${shy.user.id}`, shy)).toEqual([
      "shy/cave",
      ...all.filter((name) => name !== "shy/cave"),
    ]);
    expect(await found(`priority_owner_id=${shy.user.id}&mode=source`, shy)).toEqual([
      ...["shy/cave", "alice/apple", "alice/berry"],
    ]);
  });

  it.each([1, 2, 3, 4])(
    "200: pages of %d over the border hold everything once, with exact totals and Link (D-TOTAL)",
    async (limit) => {
      const query = `priority_owner_id=${alice.user.id}&sort=alpha&order=desc`;
      const whole = await found(query, bob);
      const pages = Math.ceil(whole.length / limit);
      const seen: string[] = [];
      for (let page = 1; page <= pages; page += 1) {
        const answer = await ask(`${query}&limit=${limit}&page=${page}`, bob);
        expect(answer.headers.get("x-total-count")).toBe(String(whole.length));
        expect(answer.headers.get("link")?.includes('rel="next"')).toBe(page < pages);
        seen.push(...namesIn({ ...answer, json: answer.json.data }));
      }
      expect(seen).toEqual(whole);
      const after = await ask(`${query}&limit=${limit}&page=${pages + 1}`, bob);
      expect([after.json.data, after.headers.get("x-total-count")]).toEqual([[], String(whole.length)]);
    },
  );
});

describe("repositories by their number of forks, once the worker has told lists", () => {
  it("200: a fork that is deleted no longer counts", async () => {
    for (const name of ["carol/apple", "bob/apple"]) {
      const as = name.startsWith("bob") ? bob : carol;
      expect((await api.call("DELETE", `/repos/${name}`, { as })).status).toBe(204);
    }
    await work();
    expect((await found("sort=forks&order=desc")).slice(0, 2)).toEqual(["alice/berry", "alice/apple"]);
  });
});
