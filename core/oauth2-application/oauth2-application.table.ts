import { padded } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A program that users let act for them by OAuth2, in the list of the user who registered it (semantics §68.1). */
export interface OAuth2Application extends Item {
  readonly id: number;
  /** Whose it is. */
  readonly userId: number;
  /** A UUID, by which the program names itself: its guard lies there. */
  readonly clientId: string;
  readonly name: string;
  /** Where users may be sent back to, as given. */
  readonly redirectUris: readonly string[];
  /** Whether it can keep its secret; programs on users' machines can't. */
  readonly isConfidential: boolean;
  /** SHA-256 of the secret's text in hex. */
  readonly secretHash: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly _v: 1;
}

/** Leads from a client id to the application. */
export interface OAuth2ApplicationGuard extends Item {
  readonly userId: number;
  readonly applicationId: number;
  readonly _v: 1;
}

/** Sort keys of a user's applications begin with this. */
export const oauth2ApplicationPrefix = "OAUTH2#";

export const oauth2ApplicationKey = (userId: number, id: number): TableKey => ({
  pk: userPartition(userId),
  sk: `${oauth2ApplicationPrefix}${padded(id)}`,
});
export const oauth2ApplicationGuardKey = (clientId: string): TableKey => ({
  pk: `OAUTH2#${clientId}`,
  sk: "#",
});

/** The kind of the job that removes what users let an ended application do (`core/oauth2-grant`). */
export const endApplicationKind = "end-oauth2-application";
