import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { getIssue } from "../issue/change/change.ts";
import { type Issue, issueKey } from "../issue/issue.table.ts";
import {
  type AccessLoader,
  accessLoader,
  findPlacedIssues,
  type PlacedIssue,
} from "../issue/placed-issues.ts";
import { isIssueWriter } from "../issue/rights.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { keyText, type TableKey } from "../table/write.ts";
import type { Query } from "../table.ts";
import { type DependencyRow, dependenciesOf } from "./dependency.table.ts";

/** An issue by its number, with the caller's rights on its repository. */
export interface IssueIn {
  readonly access: RepositoryAccess;
  readonly number: number;
}

export const rowsOf = ({ table }: Forge, run: Query): Promise<DependencyRow[]> =>
  table.queryAll<DependencyRow>(run);

/** The issues at the other ends, in order, without those in repositories that are being deleted. */
export async function findLive({ table }: Forge, rows: readonly DependencyRow[]): Promise<Issue[]> {
  const keys = rows.map((row) => issueKey(row.repositoryId, row.number));
  const homes = rows.map((row) => repositoryKey(row.repositoryId));
  const found = await table.getAll([...keys, ...homes]);
  return keys.flatMap((key, at) => {
    const home = found.get(keyText(homes[at] as TableKey)) as Repository | undefined;
    const issue = found.get(keyText(key)) as Issue | undefined;
    return home?.state !== "live" || issue === undefined ? [] : [issue];
  });
}

/**
 * An issue that another waits for: whole, or hidden from the caller, who learns only its id, and only when they may
 * remove the dependency (D-HIDDEN).
 */
export type Dependency = PlacedIssue | HiddenDependency;
interface HiddenDependency {
  readonly hiddenId: number | undefined;
}

/** The issues that an issue waits for. NotFound as for the issue, and when the repository has no dependencies. */
export async function listDependencies(
  forge: Forge,
  actor: Actor | undefined,
  { access, number }: IssueIn,
): Promise<Dependency[]> {
  const issue = await getIssue(forge, access, number);
  if (!access.repository.tracker.hasDependencies) throw notFound("the repository has no dependencies");
  const rows = await rowsOf(forge, dependenciesOf(issue, "on"));
  const [listed, readable] = await Promise.all([
    findLive(forge, rows),
    findPlacedIssues(forge, accessLoader(forge, actor, access), rows),
  ]);
  const placed = new Map(readable.map((one) => [one.issue.id, one]));
  const isWriter = isIssueWriter(access.rights, issue.kind);
  return listed.map(({ id }) => placed.get(id) ?? { hiddenId: isWriter ? id : undefined });
}

/** The issues that wait for an issue, as far as the caller may read them. NotFound as for the issue. */
export async function listBlockedIssues(
  forge: Forge,
  actor: Actor | undefined,
  { access, number }: IssueIn,
): Promise<PlacedIssue[]> {
  const issue = await getIssue(forge, access, number);
  const rows = await rowsOf(forge, dependenciesOf(issue, "by"));
  const loader: AccessLoader = accessLoader(forge, actor, access);
  return findPlacedIssues(forge, loader, rows);
}
