import { describe, expect, it } from "vitest";
import { pushToRepository } from "#core/repository/push";
import { pushRef } from "#tests/support/code";
import { alice, api, makeRepo, protect, useTagProtections } from "./tag-protections-world.ts";

useTagProtections();

describe("a protected tag", () => {
  it("of a push of 2,000 some are refused by 40 expressions", async () => {
    const { name, first } = await makeRepo();
    for (let at = 0; at < 40; at += 1) {
      await protect(name, { name_pattern: `/^v${at}\\./`, whitelist_usernames: ["bob"] });
    }
    const { json } = await api.call("GET", `/repos/alice/${name}`, { as: alice });
    const changes = Array.from({ length: 2_000 }, (_, at) => ({ name: `refs/tags/v${at}.0`, new: first }));
    const place = { id: json.id, ownerId: json.owner.id };
    const outcome = await pushToRepository(api.forge, place, { user: alice.user }, { changes });
    const refused = outcome.kind === "done" ? outcome.results.filter((one) => one.refusal !== undefined) : [];
    expect(refused.length).toBe(40);
    expect(refused[0]?.refusal).toContain("protected by the rule");
  });

  it("an expression over which others backtrack for ever is matched as it says", async () => {
    const { name, first } = await makeRepo();
    await protect(name, { name_pattern: "/^(a+)+$/", whitelist_usernames: ["bob"] });
    await pushRef(api, alice, name, { ref: `refs/tags/${"a".repeat(200)}!`, id: first });
    const fitting = pushRef(api, alice, name, { ref: `refs/tags/${"a".repeat(200)}`, id: first });
    await expect(fitting).rejects.toThrow(/protected/);
  });
});
