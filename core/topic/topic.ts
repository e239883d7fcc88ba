import { findListingRules } from "../access/listed-repositories.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { type ForgeError, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextIds } from "../ids.ts";
import { listFromIndex } from "../list-index/list-index.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { editRepository } from "../repository/edit.ts";
import { repositoryIndex } from "../repository/repository.index.ts";
import type { Repository } from "../repository/repository.table.ts";
import { absent } from "../table/condition.ts";
import { keyText, put, update } from "../table/write.ts";
import { type Topic, topicKey } from "./topic.table.ts";

const mostTopics = 25;
const longestTopic = 35;
const pattern = /^[a-z\d][a-z\d.-]*$/;

/** A topic, and how many repositories have it that the caller may see. */
export interface CountedTopic {
  readonly topic: Topic;
  readonly repositories: number;
}

/**
 * Replaces a repository's topics by these: trimmed, in lower case, each once. 422 with all names that are not valid,
 * and for more than 25 (semantics §41.3).
 */
export async function replaceTopics(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  names: readonly string[],
): Promise<void> {
  const topics = [...new Set(names.map(cleaned))].filter((name) => name !== "");
  if (topics.length > mostTopics) throw tooMany(null);
  const wrong = topics.filter((name) => !isValid(name));
  if (wrong.length > 0) throw notValid(wrong);
  await note(
    forge,
    topics.filter((name) => !repository.topics.includes(name)),
  );
  await editRepository(forge, actor, repository, { topics: () => topics });
}

/** Gives a repository a topic; does nothing when it has it. 422 when it is not valid, or would be the 26th. */
export async function addTopic(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  name: string,
): Promise<void> {
  const topic = cleaned(name);
  if (!isValid(topic)) throw notValid(name);
  await note(forge, [topic]);
  await editRepository(forge, actor, repository, {
    topics(current) {
      if (current.includes(topic)) return current;
      if (current.length >= mostTopics) throw tooMany(name);
      return [...current, topic];
    },
  });
}

/** Takes a topic away. 404 when the repository does not have it, 422 when no topic could have this name. */
export async function removeTopic(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  name: string,
): Promise<void> {
  const topic = cleaned(name);
  if (!isValid(topic)) throw notValid(name);
  await editRepository(forge, actor, repository, {
    topics(current) {
      if (!current.includes(topic)) throw notFound(`the repository does not have the topic ${topic}`);
      return current.filter((one) => one !== topic);
    },
  });
}

/**
 * Topics with this text in their names, the most used first, counted over the repositories that the caller may see:
 * topics of only hidden ones are left out.
 */
export async function searchTopics(
  forge: Forge,
  actor: Actor | undefined,
  keyword: string,
  page: PageRequest,
): Promise<{ readonly items: CountedTopic[]; readonly total: number }> {
  const counted = await countTopics(forge, actor, cleaned(keyword));
  const all = [...counted]
    .map(([name, ids]) => [name, ids.size] as const)
    .sort(([name, count], [other, otherCount]) => otherCount - count || (name < other ? -1 : 1));
  const shown = rowsOfPage(all, page);
  const found = await forge.table.getAll<Topic>(shown.map(([name]) => topicKey(name)));
  const items = shown.flatMap(([name, count]) => {
    const topic = found.get(keyText(topicKey(name)));
    return topic === undefined ? [] : [{ topic, repositories: count }];
  });
  return { items, total: all.length };
}

/**
 * The repositories of each topic: a walk may pass the list index more than once, so that counting alone would count
 * twice.
 */
async function countTopics(forge: Forge, actor: Actor | undefined, keyword: string) {
  const rules = await findListingRules(forge, actor);
  const counted = new Map<string, Set<number>>();
  await listFromIndex(forge, repositoryIndex, {
    filter: {
      readsTopics: true,
      accepts(repository) {
        if (!rules.isListed(repository)) return false;
        for (const name of repository.topics()) {
          if (name.includes(keyword)) counted.set(name, (counted.get(name) ?? new Set()).add(repository.id));
        }
        return false;
      },
    },
    sort: { by: "id" },
    page: 1,
    limit: 0,
  });
  return counted;
}

/** Records topics before a repository gets them: new ones with an id, others with the time. */
async function note({ table, clock }: Forge, names: readonly string[]): Promise<void> {
  const now = nowSeconds(clock);
  const found = await table.getAll<Topic>(names.map(topicKey));
  const fresh = names.filter((name) => !found.has(keyText(topicKey(name))));
  const ids = fresh.length === 0 ? [] : await nextIds(table, "topic", fresh.length);
  const made = fresh.map((name, place): Topic => {
    const id = ids[place] ?? 0;
    return { ...topicKey(name), id, name, createdAt: now, updatedAt: now, _v: 1 };
  });
  const known = names.filter((name) => !fresh.includes(name));
  await Promise.all([
    ...made.map((topic) => table.write(put(topic, absent))),
    ...known.map((name) => table.write(update(topicKey(name), { set: { updatedAt: now } }))),
  ]);
}

const cleaned = (name: string): string => name.trim().toLowerCase();
const isValid = (name: string): boolean => name.length <= longestTopic && pattern.test(name);

const tooMany = (invalidTopics: string | null): ForgeError =>
  unprocessable(`a repository may have at most ${mostTopics} topics`, { invalidTopics });

const notValid = (invalidTopics: string | readonly string[]): ForgeError =>
  unprocessable(
    `topics begin with a letter or digit, go on with letters, digits, - and ., and have at most ${longestTopic} characters`,
    { invalidTopics },
  );
