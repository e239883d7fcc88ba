import { describe, expect, it } from "vitest";
import { lastId } from "#core/ids";
import { lazy } from "#core/lazy";
import { repositoryPartition } from "#core/repository/repository.table";
import { findingsAtRest } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import {
  alice,
  api,
  asked,
  contentOf,
  generate,
  makeEquipped,
  makeTemplate,
  name,
  shown,
  useTemplates,
} from "./generate-world.ts";

useTemplates();

describe("generateRepo", () => {
  it.each([[[".forgejo/template"]], [[".gitea/template", ".forgejo/template"]]])(
    "201: variables are expanded in what %j name; the lists themselves do not come along (semantics §41.1)",
    async (lists) => {
      const called = `listed-by-${lists.length}`;
      const globs = ["*.txt", "docs/*.md"];
      await makeTemplate(called, {
        ...Object.fromEntries(lists.map((list, at) => [list, `${globs[at]}\n`])),
        "one.txt": "$REPO_NAME of $REPO_OWNER",
        "docs/two.md": "$REPO_NAME of $REPO_OWNER",
        ".forgejo/issue_template.md": "$REPO_NAME",
      });
      await generate(called);
      expect((await contentOf(`bob/${name}`)).files).toEqual({
        "a.txt": "two",
        "one.txt": `${name} of bob`,
        "docs/two.md": lists.length === 2 ? `${name} of bob` : "$REPO_NAME of $REPO_OWNER",
        ".forgejo/issue_template.md": "$REPO_NAME",
      });
    },
  );

  describe("labels, webhooks and branch protections", () => {
    /** A template with more of them than a transaction takes; nobody changes it. */
    const laden = lazy(async () => {
      await makeEquipped("laden", 60);
      return "laden";
    });

    it("201 with more of them than a transaction takes, with a commit and in an organization", async () => {
      const all = { ...asked, git_content: true, owner: "acme" };
      const { status, json } = await generate(await laden(), all, alice);
      expect(status).toBe(201);
      const parts = ["labels", "hooks", "branch_protections"];
      const counts = await Promise.all(parts.map(async (part) => (await shown(json.full_name, part)).length));
      expect(counts).toEqual([60, 1, 1]);
    });

    it.each([5, 6, 7])("killed at write %d of that it leaves nothing behind", async (write) => {
      const template = await laden();
      api.faults.crashAt(write, "after");
      await generate(template, asked, alice).catch(() => undefined);
      expect(api.faults.hasCrashed).toBe(true);
      api.faults.recover();
      expect((await api.call("GET", `/repos/alice/${name}`, { as: alice })).status).toBe(404);
      await finishJobs(api);
      const pk = repositoryPartition(await lastId(api.forge.table, "repository"));
      expect(await api.forge.table.queryAll({ pk })).toEqual([]);
    });

    it("403: where the template's owner blocks the caller", async () => {
      await makeEquipped("walled", 1);
      await api.call("PUT", "/user/block/bob", { as: alice });
      expect((await generate("walled")).status).toBe(403);
      await api.call("PUT", "/user/unblock/bob", { as: alice });
      expect((await generate("walled")).status).toBe(201);
    });
  });
});

it("after all of it the whole table holds together", async () => {
  expect(await findingsAtRest(api)).toEqual([]);
});
