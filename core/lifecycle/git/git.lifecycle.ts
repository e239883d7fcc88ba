import type { Forge } from "../../forge.ts";
import { type RemovalCursor, removeRepositoryGit } from "../../git/store/remove-repository.ts";
import type { PartCursor, PartStep } from "../../jobs/passes.ts";
import type { Lifecycle } from "../lifecycle.ts";
import { gitChecks } from "./git.check.ts";

/** One step of the end of some git data: a repository's, or its wiki's. */
export async function endGit(forge: Forge, gitId: number, inner: PartCursor | undefined): Promise<PartStep> {
  const { next, hasFound } = await removeRepositoryGit(forge, gitId, inner as RemovalCursor | undefined);
  return { hasFound, hasMore: next !== undefined, inner: next };
}

/** The engine in `core/git` knows no noun, so its declaration lies here. */
export const gitLifecycle: Lifecycle = {
  noun: "git",
  items: [
    { at: "R#<repository>#G / ROOT" },
    { at: "R#<repository>#G / L#<version>#<chunk>" },
    { at: "R#<repository>#G / C#<push>#<chunk>" },
    { at: "R#<repository>#G / S#<segment>" },
    { at: "R#<repository>#G / SL#<list>" },
    { at: "R#<repository>#G / OLD#<time>#<pack>" },
    { at: "R#<repository>#G / UNNAMED" },
    { at: "R#<repository>#G / GRAPH" },
    { at: "R#<repository>#G / LENDER#<repository>" },
    { at: "POOL#<lender> / R#<repository>" },
  ],
  objects: [
    "r/<repository>/p/<pack>.pack",
    "r/<repository>/p/<pack>.side",
    "r/<repository>/g/<layer>.graph",
    "r/<repository>/f/<fetch>",
  ],
  ends: {
    repository: {
      code: {
        stage: "git",
        step: (forge, { repositoryId }, inner) => endGit(forge, repositoryId, inner),
      },
    },
  },
  checks: gitChecks,
};
