import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect } from "vitest";
import { findAccess, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { createComment, editComment } from "#core/comment/comment";
import { createDeployKey } from "#core/deploy-key/deploy-key";
import { createHook } from "#core/hook/hook";
import { padded } from "#core/ids";
import { editIssue } from "#core/issue/edit";
import { createIssue } from "#core/issue/issue";
import { issueIndex } from "#core/issue/issue.index";
import { listJobs } from "#core/jobs/job";
import { type JobOutcome, runJob } from "#core/jobs/run";
import { emptyRepository } from "#core/lifecycle/end-of-repository";
import { compact as compactListIndex } from "#core/list-index/internal/compaction";
import { createRepository } from "#core/repository/create";
import { editRepository } from "#core/repository/edit";
import { put } from "#core/table/write";
import { createUser } from "#core/user/create";
import { compactText } from "#core/word-index/compaction";
import { makeForge, type TestForge } from "#tests/support/forge";
import { makeKeyLine } from "#tests/support/keys";

export const kinds = { "empty-repository": emptyRepository };
export const longestRequestMs = 15 * 60_000;

/** The one thing that stays: the list index's mark that the repository is gone. */
export const goneMark = (id: number) => `DIR#repo T#${padded(id)}`;

/** Counters, messages on their way, claims, runs of cron tasks, totals of owners. */
const ofNoRepository = /^(SEQ#(?!issue#)|X#|CLAIM#|EVENT#|DUE#|DUTIES |O#\d+ QUOTA#USED#)/;

/** The forge of a file's tests, with a user; made before them, stopped after them. */
export function emptyingPlace() {
  let world: TestForge;
  let actor: Actor;

  beforeAll(async () => {
    world = await makeForge({ simulation: false });
    const password = "correct-horse-9";
    actor = { user: await createUser(world.forge, { name: "alice", email: "a@example.com", password }) };
  });
  afterAll(() => world.stop());

  /**
   * A repository with something of everything in it: a commit, an edited issue whose words are posted, with an
   * edited comment whose words wait, a hook with a delivery, a deploy key.
   */
  async function furnish(name: string): Promise<RepositoryAccess & { readonly hookId: number }> {
    const { forge } = world;
    const made = await createRepository(forge, actor, actor.user, { name: `${name}-was`, hasReadme: true });
    const { id } = await editRepository(forge, actor, made, { name });
    const access = await findAccess(forge, actor, "alice", name);
    if (access === undefined) throw new Error("the repository is not there");
    const { number } = await createIssue(forge, access, { title: "one", body: "words" }, actor);
    await editIssue(forge, access, number, { body: "words anew" }, actor);
    await compactListIndex(forge, issueIndex(id));
    await compactText(forge, { repositoryId: id, number, commentId: 0 });
    const comment = await createComment(forge, access, number, "more words", actor);
    await editComment(forge, access, comment.id, "more words anew", actor);
    await createDeployKey(forge, id, { title: "ci", key: makeKeyLine() });
    const hook = await createHook(
      forge,
      { kind: "repository", id },
      {
        type: "forgejo",
        url: "http://hooks.example/",
        contentType: "json",
        events: ["repository"],
        isActive: true,
      },
    );
    await forge.table.write(put({ pk: `DLV#${hook.id}`, sk: "0", _v: 1 }));
    return { ...access, hookId: hook.id };
  }

  /** Every key of the table, except those that belong to no repository. */
  async function keysInTable(): Promise<Set<string>> {
    const keys = new Set<string>();
    let ExclusiveStartKey: Record<string, never> | undefined;
    do {
      const page = await world.direct.send(
        new ScanCommand({ TableName: world.forge.table.name, ConsistentRead: true, ExclusiveStartKey }),
      );
      for (const item of page.Items ?? []) keys.add(`${item.pk?.S} ${item.sk?.S}`);
      ExclusiveStartKey = page.LastEvaluatedKey as Record<string, never> | undefined;
    } while (ExclusiveStartKey !== undefined);
    return new Set([...keys].filter((key) => !ofNoRepository.test(key)));
  }

  async function objectsOf(repositoryId: number): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of world.forge.blobs.list(`r/${repositoryId}/`)) keys.push(key);
    return keys;
  }

  async function expectNothingLeft(id: number, before: ReadonlySet<string>): Promise<void> {
    const left = [...(await keysInTable())].filter((key) => !before.has(key));
    expect(left).toEqual([goneMark(id)]);
    expect(await objectsOf(id)).toEqual([]);
  }

  const jobIds = async () => (await listJobs(world.forge)).map(({ id }) => id);

  /** Runs the jobs that are due, and lets time pass where they wait, until none is left. */
  async function finishJobs(): Promise<JobOutcome["outcome"][]> {
    const outcomes: JobOutcome["outcome"][] = [];
    for (let ids = await jobIds(); ids.length > 0; ids = await jobIds()) {
      for (const id of ids) {
        const { outcome } = await runJob(world.forge, kinds, id, { budgetMs: 60_000 });
        outcomes.push(outcome);
        if (outcome !== "done") world.clock.advance(outcome === "waiting" ? longestRequestMs : 200_000);
      }
      expect(outcomes.length).toBeLessThan(20);
    }
    return outcomes;
  }

  return {
    get world() {
      return world;
    },
    get actor() {
      return actor;
    },
    ...{ furnish, keysInTable, objectsOf, expectNothingLeft, jobIds, finishJobs },
  };
}
