import { attempts } from "../concurrency/attempts.ts";
import { conflict, invalid } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { absent, equals } from "../table/condition.ts";
import { check, put } from "../table/write.ts";
import { type Flags, flagsKey } from "./flags.table.ts";
import { repositoryKey } from "./repository.table.ts";

const most = { flags: 100, characters: 255 };
const mostAttempts = 10;

/** A repository's flags, in order. */
export async function listRepositoryFlags(forge: Forge, repositoryId: number): Promise<readonly string[]> {
  return (await forge.table.get<Flags>(flagsKey(repositoryId)))?.names ?? [];
}

/** Changes the flags to the result of `change`. 422 for more than 100, and for names that are empty or too long. */
export async function changeRepositoryFlags(
  forge: Forge,
  repositoryId: number,
  change: (names: readonly string[]) => readonly string[],
): Promise<void> {
  const key = flagsKey(repositoryId);
  for await (const _attempt of attempts(mostAttempts)) {
    const before = await forge.table.get<Flags>(key);
    const names = [...new Set(change(before?.names ?? []))].sort();
    requireFlags(names);
    const after: Flags = { ...key, names, v: (before?.v ?? 0) + 1, _v: 1 };
    const { committed } = await forge.table.transact([
      put(after, before === undefined ? absent : equals({ v: before.v })),
      check(repositoryKey(repositoryId), equals({ state: "live" })),
    ]);
    if (committed) return;
  }
  throw conflict("the repository's flags are being changed by others; try again");
}

function requireFlags(names: readonly string[]): void {
  if (names.length > most.flags) throw invalid("Flags", `at most ${most.flags} flags`);
  const isWrong = names.some((name) => name === "" || name.length > most.characters);
  if (isWrong) throw invalid("Flags", `names have 1 to ${most.characters} characters`);
}
