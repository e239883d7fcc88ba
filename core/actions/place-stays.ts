import type { Forge } from "../forge.ts";
import { ownerStays, requireStaying } from "../owner/deletion.ts";
import type { Write } from "../table/write.ts";
import type { ActionsPlace } from "./place.ts";

/** In a transaction that makes something for a place: its owner must not be about to be deleted. */
export const placeStays = (place: ActionsPlace): Write[] =>
  place.kind === "user" || place.kind === "organization" ? [ownerStays(place.id)] : [];

/** Throws why `placeStays` does not hold, if that is so. */
export async function requirePlaceStaying(forge: Forge, place: ActionsPlace): Promise<void> {
  if (place.kind === "user" || place.kind === "organization") await requireStaying(forge, place);
}
