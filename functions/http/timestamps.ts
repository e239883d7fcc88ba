import { z } from "#zod";

/** The shape of a time that an answer holds: RFC 3339. */
export const dateTime = z.string().openapi({ format: "date-time" });

/** The shape of a time that a request gives: RFC 3339, with any offset. */
export const givenDateTime = z.iso.datetime({ offset: true });

/** The years of RFC 3339, in seconds since the epoch. */
const earliestSeconds = Date.parse("0000-01-01T00:00:00Z") / 1000;
const latestSeconds = Date.parse("9999-12-31T23:59:59Z") / 1000;

/** An RFC 3339 time as whole seconds. An offset may lead out of the four-digit years: it then counts as their end. */
export const secondsFrom = (time: string): number =>
  Math.min(Math.max(Math.floor(Date.parse(time) / 1000), earliestSeconds), latestSeconds);

/** Seconds since the epoch as RFC 3339 in UTC. */
export const timestamp = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

/** The same for dates that users made up: dates outside the years of calendars count as their ends. */
export const clampedTimestamp = (seconds: number): string =>
  timestamp(Math.min(Math.max(seconds, earliestSeconds), latestSeconds));

/** Like `timestamp`; 0 ("never") is null. */
export const optionalTimestamp = (seconds: number): string | null =>
  seconds === 0 ? null : timestamp(seconds);

/** The family's form of an unset time in fields that are never null (semantics §1.1). */
export const unsetTimestamp = "0001-01-01T00:00:00Z";

/** Clients of the family send the unset time for none, too. */
export const isUnset = (time: string): boolean => time === unsetTimestamp;
