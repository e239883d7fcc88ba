import type { OwnerKind } from "../owner/owner.table.ts";
import { ownerPartition, repositoryPartition } from "../repository/repository.table.ts";

/** A repository, with the owner that it has now. */
export interface RepositoryPlace {
  readonly kind: "repository";
  readonly id: number;
  readonly ownerId: number;
}

/** A user or an organization. */
export interface OwnerPlace {
  readonly kind: OwnerKind;
  readonly id: number;
}

/** Where runners, variables and secrets belong: to one repository, or to an owner for all that they own. */
export type OwnedPlace = RepositoryPlace | OwnerPlace;

/** The same, or the whole installation: runners alone may belong to that. */
export type ActionsPlace = OwnedPlace | { readonly kind: "global" };

/** The partition of what belongs to a place. Users and organizations share their ids. */
export function placePartition(place: ActionsPlace): string {
  if (place.kind === "global") return "RUNNERS#global";
  return place.kind === "repository" ? repositoryPartition(place.id) : ownerPartition(place.id);
}
