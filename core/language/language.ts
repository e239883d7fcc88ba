import type { Forge } from "../forge.ts";
import { type Languages, languagesKey } from "./language.table.ts";

/** Bytes by language on the default branch, most first; none before the first count (semantics §41.2). */
export async function listLanguages(forge: Forge, repositoryId: number): Promise<Languages["sizes"]> {
  return (await forge.table.get<Languages>(languagesKey(repositoryId)))?.sizes ?? [];
}
