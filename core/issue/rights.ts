import { accessMode, modeOf, type Rights, type UnitName } from "../access/modes.ts";
import type { Actor } from "../actor.ts";
import type { IssueKind } from "./issue.table.ts";

const unitOf: Readonly<Record<IssueKind, UnitName>> = { issue: "issues", pull: "pulls" };

/** Which of the two kinds the caller may read: lists show only these, the others count as absent (B-18). */
export function readableKinds(rights: Rights): IssueKind[] {
  return (["issue", "pull"] as const).filter((kind) => modeOf(rights, unitOf[kind]) >= accessMode.read);
}

/** Whether the caller may read issues, or pulls. */
export const isIssueReadable = (rights: Rights, kind: IssueKind): boolean =>
  readableKinds(rights).includes(kind);

/** Whether the caller may write issues, or pulls, of others. */
export const isIssueWriter = (rights: Rights, kind: IssueKind): boolean =>
  modeOf(rights, unitOf[kind]) >= accessMode.write;

/**
 * Whether the caller may change something that `authorId` wrote on an issue or pull: its author and writers may
 * (semantics §3.5).
 */
export const mayEditIssue = (
  rights: Rights,
  actor: Actor,
  written: { kind: IssueKind; authorId: number },
): boolean => written.authorId === actor.user.id || isIssueWriter(rights, written.kind);
