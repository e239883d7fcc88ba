import type { Config } from "../config.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { listFromIndex } from "../list-index/list-index.ts";
import { ownerIndex } from "../owner/owner.index.ts";
import { repositoryIndex } from "../repository/repository.index.ts";
import {
  type CountName,
  countKeys,
  countsKey,
  type RepositoryCounts,
} from "../repository/repository.table.ts";
import { countActive } from "./activity.ts";

/** How much the instance is used, for everybody to know. */
export interface Usage {
  /** Accounts; within a month and half a year those that were used. */
  readonly users: number;
  readonly activeMonth: number;
  readonly activeHalfyear: number;
  /** Issues and pull requests, and comments on them, of the repositories that were updated last. */
  readonly posts: number;
  readonly comments: number;
}

const keptMs = 180_000;
/** How many repositories have their counts read. */
const mostRepositories = 1_000;
const [monthDays, halfyearDays] = [30, 180];

/** A process's last count, or the one in progress. */
interface Kept {
  atMs: number;
  usage: Promise<Usage> | undefined;
}

const keptBy = lazyFor((_config: Config): Kept => ({ atMs: 0, usage: undefined }));

/** How much the instance is used: a process counts at most every three minutes, in a bounded number of reads. */
export function usageOf(forge: Forge): Promise<Usage> {
  const kept = keptBy(forge.config);
  const now = forge.clock.now();
  if (kept.usage !== undefined && now - kept.atMs < keptMs) return kept.usage;
  const usage = countUsage(forge).catch((error: unknown) => {
    kept.usage = undefined;
    throw error;
  });
  Object.assign(kept, { atMs: now, usage });
  return usage;
}

async function countUsage(forge: Forge): Promise<Usage> {
  const all = { page: 1, limit: 0 };
  const [users, [activeMonth = 0, activeHalfyear = 0], written] = await Promise.all([
    listFromIndex(forge, ownerIndex, {
      filter: { isOrganization: false },
      sort: { by: "oldest" },
      ...all,
    }),
    countActive(forge, monthDays, halfyearDays),
    countWritten(forge),
  ]);
  return { users: users.total, activeMonth, activeHalfyear, ...written };
}

/** Read eventually consistent: nobody needs exactness here. */
async function countWritten(forge: Forge): Promise<Pick<Usage, "posts" | "comments">> {
  const { ids } = await listFromIndex(forge, repositoryIndex, {
    filter: {},
    sort: { by: "updated", isDescending: true },
    ...{ page: 1, limit: mostRepositories },
  });
  const read = async (keys: ReturnType<typeof countKeys>) => [
    ...(await forge.table.getAll<RepositoryCounts>(keys, { isConsistent: false })).values(),
  ];
  const first = await read(ids.map((id) => countsKey(id, 0)));
  const others = first.flatMap(({ pk, shards = 1 }) => countKeys({ id: Number(pk.slice(2)), shards }, 1));
  const parts = [...first, ...(await read(others))];
  const sum = (...names: CountName[]) => {
    const numbers = parts.flatMap((part) => names.map((name) => part[name] ?? 0));
    return numbers.reduce((total, number) => total + number, 0);
  };
  return {
    posts: sum("openIssues", "closedIssues", "openPulls", "closedPulls"),
    comments: sum("issueComments", "pullComments"),
  };
}
