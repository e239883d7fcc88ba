import { issueIndex } from "#core/issue/issue.index";
import { compact } from "#core/list-index/internal/compaction";
import { ownerIndex } from "#core/owner/owner.index";
import { repositoryIndex } from "#core/repository/repository.index";
import type { Caller, TestApi } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { finishJobs } from "#tests/support/jobs";
import { makeKeyLine } from "#tests/support/keys";
import { turnOnSecondFactor } from "#tests/support/second-factor";
import { join, makeOrganization, makeTeam } from "../api/organization/make.ts";
import { finishEvents, furnishRepository, maker } from "../api/repository/furnish.ts";

/** Makes the data of a sample: something of everything that is stored, with nothing left to do. */
export async function makeSampleData(api: TestApi): Promise<void> {
  const people = {
    boss: await api.makeUser({ name: "boss", isAdmin: true }),
    alice: await api.makeUser({ name: "alice" }),
    bob: await api.makeUser({ name: "bob" }),
  };
  const laden = await furnishRepository(api, people);
  await makeAccounts(api, people);
  await makeOrganizationWithCode(api, people.alice, people.bob);
  await finishEvents(api);
  for (const index of [repositoryIndex, ownerIndex, issueIndex(laden)]) await compact(api.forge, index);
  await makeChanges(api, people.alice);
  await finishEvents(api);
  await finishJobs(api);
  await finishEvents(api);
}

async function makeAccounts(api: TestApi, people: Record<"alice" | "bob" | "boss", Caller>): Promise<void> {
  const { alice, bob, boss } = people;
  const make = maker(api, alice);
  await make("POST", "/user/emails", { emails: ["alice@work.example"] });
  await make("POST", "/user/keys", { title: "laptop", key: makeKeyLine() });
  await make("PUT", "/user/following/bob");
  const carol = await api.makeUser({ name: "carol" });
  await make("PUT", `/user/blocks/${carol.name}`);
  await turnOnSecondFactor(api, carol);
  await api.makeUser({ name: "gone" });
  await make("DELETE", "/admin/users/gone", undefined, boss);
  await api.makeUser({ name: "former" });
  await make("POST", "/admin/users/former/rename", { new_username: "renamed" }, boss);
  const hook = { type: "forgejo", config: { url: "https://ci.example/", content_type: "json", secret: "s" } };
  await make("POST", "/user/hooks", hook, bob);
  await make("POST", "/admin/hooks", hook, boss);
}

async function makeOrganizationWithCode(api: TestApi, alice: Caller, bob: Caller): Promise<void> {
  const make = maker(api, alice);
  await makeOrganization(api, alice, "acme");
  const team = await makeTeam(api, alice, "acme", "readers");
  await join(api, alice, team, bob);
  await make("POST", "/orgs/acme/repos", { name: "code", object_format_name: "sha256", private: true });
  await make("POST", "/repos/acme/code/contents/a.txt", { content: "aGk=", message: "Say hi" });
  await make("PUT", `/teams/${team}/repos/acme/code`);
  await make("POST", "/orgs/acme/labels", { name: "everywhere", color: "112233" });
  await make("POST", "/user/repos", { name: "long", auto_init: true });
  // As many as packs are put together of, and a commit graph is made of.
  for (let number = 0; number < 17; number += 1) {
    await pushFiles(api, alice, "long", { from: "main", files: { [`${number}.txt`]: `${number}\n` } });
    api.clock.advance(1_000);
  }
  await make("POST", "/repos/alice/long/forks", { organization: "acme" });
}

/** Changes of what is compacted, edits with a history, and removals. */
async function makeChanges(api: TestApi, alice: Caller): Promise<void> {
  const make = maker(api, alice);
  const long = "/repos/alice/long";
  await make("POST", `${long}/issues`, { title: "first", body: "words" });
  api.clock.advance(1_000);
  await make("PATCH", `${long}/issues/1`, { body: "other words" });
  await make("POST", `${long}/contents/closing.txt`, { content: "aGk=", message: "closes #1" });
  await make("PATCH", "/repos/alice/laden", { description: "with something of everything" });
  await make("POST", "/user/repos", { name: "short-lived", auto_init: true });
  await make("DELETE", "/repos/alice/short-lived");
}
