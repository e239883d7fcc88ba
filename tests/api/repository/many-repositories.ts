import { createRepository } from "#core/repository/create";
import type { RepositoryEntry } from "#core/repository/listing/repository-entry";
import { repositoryIndex } from "#core/repository/repository.index";
import type { Caller, TestApi } from "#tests/support/api";
import { fillListIndex } from "#tests/support/fill-list-index";
import { createRandom } from "#tests/support/random";
import { join, makeOrganization, makeRepository, makeTeam } from "../organization/make.ts";

/** An instance of ten thousand repositories, and who looks at them. */
export interface ManyRepositories {
  /** Owns 50 public ones. */
  readonly owner: Caller;
  /** In 20 teams, each of which has a private one of its own; owns nothing. */
  readonly member: Caller;
  /** How many everybody may see. */
  readonly publicCount: number;
}

const shown = { public: 50, teams: 20 };
const others = 10_000 - shown.public - shown.teams;

/**
 * Makes them: those on the first pages by name one by one, the others as entries of lists, compacted into the index.
 */
export async function makeManyRepositories(api: TestApi): Promise<ManyRepositories> {
  const { forge } = api;
  const [owner, member] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "mia" })];
  for (let number = 0; number < shown.public; number += 1) {
    await createRepository(forge, { user: owner.user }, owner.user, { name: `a-${100 + number}` });
  }
  await makeOrganization(api, owner, "acme");
  for (let number = 0; number < shown.teams; number += 1) {
    const team = await makeTeam(api, owner, "acme", `team-${number}`);
    await join(api, owner, team, member);
    const { name } = await makeRepository(api, owner, "acme", `a-${200 + number}`, { private: true });
    await api.call("PUT", `/teams/${team}/repos/acme/${name}`, { as: owner });
  }
  const entries = anyEntries();
  await fillListIndex(forge, repositoryIndex, entries);
  const publicOthers = [...entries.values()].filter(({ isPrivate }) => !isPrivate).length;
  return { owner, member, publicCount: shown.public + publicOthers };
}

/** What lists know of repositories of hundreds of owners, none of whom is there. */
function anyEntries(): Map<number, RepositoryEntry> {
  const { chance, integer, pick, some } = createRandom(7);
  const ids = Array.from({ length: others }, (_, at) => 1_000 + at);
  return new Map(
    ids.map((id): [number, RepositoryEntry] => {
      const [name, kind] = [pick(["beta", "gamma", "delta"]), pick(["words", "tools", "things"])];
      const flags = { isMirror: false, isTemplate: false, isArchived: false, isEmpty: false };
      return [
        id,
        {
          ...{ ownerId: 1_000 + integer(500), name: `${name}-${id}`, description: `A forge of ${kind}` },
          ...{ isPrivate: chance(0.6), isFork: chance(0.2), ...flags, teamIds: [], units: ["code"] },
          ...{ topics: some(["git", "forge"], 2), createdAt: id, updatedAt: integer(1e6) },
        },
      ];
    }),
  );
}
