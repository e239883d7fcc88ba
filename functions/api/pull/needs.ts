import { issueAhead } from "../issue/needs.ts";

/** What everything about pull requests asks for (semantics §21). */
export const readsPulls = {
  scope: ["repository"],
  repository: { mode: "read", unit: "pulls", readsCode: true },
} as const;

/** The common part of all operations that read one request. */
export const byPullReaders = { tag: "repository", needs: readsPulls, readsAhead: issueAhead } as const;

/** The common part of all operations that change one request: its rules say who else may. */
export const bySignedInReaders = { ...byPullReaders, needs: { ...readsPulls, login: true } } as const;
