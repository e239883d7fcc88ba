import { findAccessById } from "#core/access/repository-access";
import { ForgeError } from "#core/errors";
import type { Forge } from "#core/forge";
import { createIssue } from "#core/issue/issue";
import { readRepositoryCounts, splitCounts } from "#core/repository/counts";
import { createRepository } from "#core/repository/create";
import { countsKey, type Repository, repositoryKey } from "#core/repository/repository.table";
import { createUser } from "#core/user/create";
import { makeForge, type TestForgeOptions } from "../support/forge.ts";
import { onItsOwn } from "./apart.ts";
import type { BenchContext, Figures } from "./bench.ts";

const creates = 200;
/** Transactions hold their items this long, as a guess at AWS. */
const holdMs = 10;

interface Case {
  readonly name: string;
  /** So many creates are under way at a time. */
  readonly atOnce: number;
  readonly simulation: NonNullable<TestForgeOptions["simulation"]>;
  /** `never` refuses to split; `before` splits before the first create; else rivals do, as built. */
  readonly split: "never" | "before" | "by rivals";
  /** Each create in a process of its own, as on AWS, that knows nothing of the others. */
  readonly isApart?: true;
}

const simulation = { holdMs };
const cases: readonly Case[] = [
  { name: "no conflicts", atOnce: creates, simulation: false, split: "by rivals" },
  { name: "one item", atOnce: creates, simulation, split: "never" },
  { name: "as built", atOnce: creates, simulation, split: "by rivals" },
  { name: "16 from the start", atOnce: creates, simulation, split: "before" },
  { name: "each in a process of its own", atOnce: creates, simulation, split: "by rivals", isApart: true },
  ...[1, 2, 3, 5, 10].map((atOnce): Case => ({ name: "as built", atOnce, simulation, split: "by rivals" })),
];

/** The cost of one repository's counts when many create issues at once, and when they are split. */
export async function countFigures(context: BenchContext): Promise<Figures> {
  const head = [
    "COUNT",
    "at once",
    "wall s",
    "conflicts",
    "most in one create",
    "refused",
    "p50 / p99 s",
    "split after",
  ];
  const rows = [[...head, "numbers and sum right"]];
  for (const one of cases) rows.push(await measure(context, one));
  return { title: `${creates} creates in one repository, transactions held ${holdMs} ms`, rows };
}

async function measure(
  context: BenchContext,
  { name, atOnce, simulation, split, isApart }: Case,
): Promise<string[]> {
  const on = await makeForge({ ...onItsOwn(context), simulation });
  try {
    const { forge } = on;
    const account = { name: "one", email: "one@example.com", password: "correct-horse-9" };
    const actor = { user: await createUser(forge, account) };
    const { id } = await createRepository(forge, actor, actor.user, { name: "busy" });
    if (split === "before") await splitCounts(forge, id, 1);
    const access = await findAccessById(forge, actor, id);
    if (access === undefined) throw new Error("the repository is not there");
    const told: Told[] = [];
    let next = 0;
    const startedAt = performance.now();
    const worker = async () => {
      while (next < creates) {
        next += 1;
        const process = isApart === true ? { ...forge, config: { ...forge.config } } : forge;
        const { counted, conflicts } = counting(process, split === "never");
        const began = performance.now();
        // Like each request: one after a split reads that there is one.
        const current = (await forge.table.get<Repository>(repositoryKey(id))) ?? access.repository;
        const isMade = await createIssue(
          counted,
          { ...access, repository: current },
          { title: "one" },
          actor,
        ).then(() => true, refusal);
        const ms = performance.now() - began;
        told.push({ ms, conflicts: conflicts(), shards: current.shards, isMade });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    const wallMs = performance.now() - startedAt;
    const after = (await forge.table.get<Repository>(repositoryKey(id))) as Repository;
    const { openIssues } = await readRepositoryCounts(forge, after);
    const last = Number((await forge.table.get({ pk: `SEQ#issue#${id}`, sk: "#" }))?.n);
    const isRight = openIssues === told.filter(({ isMade }) => isMade).length && last === creates;
    return row({ name, atOnce }, { told, wallMs, after, isRight });
  } finally {
    await on.stop();
  }
}

/** The experience of one create; `shards` is what it found when it began. */
interface Told {
  readonly ms: number;
  readonly conflicts: number;
  readonly shards: number;
  readonly isMade: boolean;
}

/** "Changed by others": the caller tries again. */
function refusal(error: unknown): false {
  if (error instanceof ForgeError && error.code === "conflict") return false;
  throw error;
}

/** The forge of one request, which counts the conflicts of its transactions. */
function counting(forge: Forge, refusesSplits: boolean): { counted: Forge; conflicts(): number } {
  const { table } = forge;
  let conflicts = 0;
  const isSplit = (write: Parameters<typeof table.write>[0]) =>
    "update" in write && write.update.sk === countsKey(0, 0).sk;
  const transact: typeof table.transact = async (...asked) => {
    const outcome = await table.transact(...asked);
    conflicts += outcome.conflicts + (outcome.committed || outcome.contended.length === 0 ? 0 : 1);
    return outcome;
  };
  const write: typeof table.write = async (one) => (refusesSplits && isSplit(one) ? false : table.write(one));
  return { counted: { ...forge, table: { ...table, transact, write } }, conflicts: () => conflicts };
}

function row(
  { name, atOnce }: Pick<Case, "name" | "atOnce">,
  result: { told: readonly Told[]; wallMs: number; after: Repository; isRight: boolean },
): string[] {
  const { told, wallMs, after, isRight } = result;
  const times = told.map(({ ms }) => ms).sort((one, other) => one - other);
  const seconds = (ms = 0) => (ms / 1_000).toFixed(2);
  const at = (share: number) => seconds(times[Math.floor(share * (times.length - 1))]);
  const before = told.findIndex(({ shards }) => shards > 1);
  const splitAfter = after.shards === 1 ? "not" : before < 0 ? "the first" : String(before);
  return [
    name,
    String(atOnce),
    seconds(wallMs),
    String(told.reduce((sum, { conflicts }) => sum + conflicts, 0)),
    String(Math.max(...told.map(({ conflicts }) => conflicts))),
    String(told.filter(({ isMade }) => !isMade).length),
    `${at(0.5)} / ${at(0.99)}`,
    splitAfter,
    isRight ? "yes" : "no",
  ];
}
