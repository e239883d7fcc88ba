import type { Forge } from "../forge.ts";
import { type NewJob, startJob } from "./job.ts";

/** A user who has fewer rights than before: on one repository as its collaborator, or in an organization. */
export interface Departure {
  readonly userId: number;
  /** The owner of the repository, or the organization. */
  readonly ownerId: number;
  readonly repositoryId?: number;
}

/** The job that ends what the user had there (`settleDeparture`): for the transaction that takes the rights. */
export const departureJob = (forge: Forge, departure: Departure): NewJob =>
  startJob(forge, "settle-departure", { ...departure });
