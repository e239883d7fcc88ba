import { givenDateTime, secondsFrom } from "../../http/timestamps.ts";

/** The date that a change is to have (B-01). */
export const updateDate = givenDateTime.optional().openapi({
  description: "the date of the change: for owners and administrators, between the creation and now",
});

/** The date that a change is to have (B-01), in whole seconds. */
export const dateIn = ({ updated_at }: { updated_at?: string | undefined }): number | undefined =>
  updated_at === undefined ? undefined : secondsFrom(updated_at);
