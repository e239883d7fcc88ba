import type { RepositoryAccess } from "#core/access/repository-access";
import { type Comment, entryKey, type TimelineEntry } from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import { findPlacedIssues, type IssueAddress, type PlacedIssue, sightOf } from "#core/issue/sight";
import { linkTo, type View } from "../../http/answer/view.ts";
import { type IssuePlace, presentPlaced } from "../issue/present.ts";
import type { IssueJson } from "../issue/schema.ts";
import { presentComments } from "./present.ts";
import type { CommentJson } from "./schema.ts";

/** Other issues, comments and repositories that entries are about; removed and hidden ones are missing. */
export interface Referring {
  /** By their addresses. */
  readonly issues: ReadonlyMap<string, IssueJson>;
  readonly comments: ReadonlyMap<number, CommentJson>;
  /** The places of commits, by the repositories' ids. */
  readonly places: ReadonlyMap<number, IssuePlace>;
}

/** An issue's address as text. */
export const addressText = ({ repositoryId, number }: IssueAddress): string => `${repositoryId}.${number}`;

/** The issues that an entry shows: another one, or for a tracked time its own. */
const relatedTo = ({ related, time, repositoryId, issueNumber }: TimelineEntry): IssueAddress[] => [
  ...(related === undefined ? [] : [related]),
  ...(time === undefined ? [] : [{ repositoryId, number: issueNumber }]),
];

/** Finds them for a page of a timeline, each once. */
export async function findReferring(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  entries: readonly TimelineEntry[],
): Promise<Referring> {
  const sight = sightOf(forge, view.actor, access);
  const addresses = new Map(entries.flatMap(relatedTo).map((address) => [addressText(address), address]));
  const repositoryIds = [...new Set(entries.flatMap(({ commit }) => commit?.repositoryId ?? []))];
  const [placed, accesses] = await Promise.all([
    findPlacedIssues(forge, sight, [...addresses.values()]),
    Promise.all(repositoryIds.map((id) => sight.accessTo(id))),
  ]);
  const places = accesses.flatMap((one) => (one === undefined ? [] : [[one.repository.id, one] as const]));
  const [shown, comments] = await Promise.all([
    presentPlaced(
      forge,
      view,
      placed.map(({ issue, access: place }) => ({ issue, place })),
    ),
    findComments(forge, view, placed, entries),
  ]);
  return {
    issues: new Map(placed.map(({ issue }, at) => [addressText(issue), shown[at] as IssueJson])),
    comments,
    places: new Map(places),
  };
}

/** The comments that refer to the issue, when their issues are shown. */
async function findComments(
  forge: Forge,
  view: View,
  placed: readonly PlacedIssue[],
  entries: readonly TimelineEntry[],
): Promise<Map<number, CommentJson>> {
  const placeOf = new Map(placed.map(({ issue, access }) => [addressText(issue), access]));
  const keys = entries.flatMap(({ related, relatedCommentId }) =>
    related === undefined || relatedCommentId === undefined || !placeOf.has(addressText(related))
      ? []
      : [entryKey(related.repositoryId, related.number, relatedCommentId)],
  );
  const found = [...(await forge.table.getAll<Comment>(keys)).values()];
  const shown = await Promise.all(
    [...new Set(placeOf.values())].map((place) => {
      const isHere = ({ repositoryId }: Comment) => repositoryId === place.repository.id;
      return presentComments(forge, view, place, found.filter(isHere));
    }),
  );
  return new Map(shown.flat().map((comment) => [comment.id, comment]));
}

/** The link to a commit that refers to the issue, as HTML (semantics §48); empty when it is hidden. */
export function commitLinkHtml(view: View, { commit, body }: TimelineEntry, { places }: Referring): string {
  const place = commit === undefined ? undefined : places.get(commit.repositoryId);
  if (commit === undefined || place === undefined) return "";
  const href = linkTo(view.config, place.owner.name, place.repository.name, "commit", commit.id);
  return `<a href="${escapedHtml(href)}">${escapedHtml(body)}</a>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, (mark) => entities[mark] ?? mark);
