import type { User } from "./user/user.table.ts";

/** What an access token may be used for (semantics §2.5). */
export type ScopeCategory =
  | "activitypub"
  | "admin"
  | "misc"
  | "notification"
  | "organization"
  | "package"
  | "issue"
  | "repository"
  | "user";

/** The login of a program that an access token of OAuth2 came from (semantics §68). */
export interface OAuth2Credential {
  readonly clientId: string;
  /** What the user let the program do. */
  readonly grantId: string;
  /** The hash of the code that its tokens came from. */
  readonly codeHash: string;
  /** Who registered the program; absent for those built in, and in tokens of a former release. */
  readonly programOwnerId?: number;
}

/** The rights of the credential that was shown; a password has no such limit. */
export interface TokenGrant {
  /** 0 for tokens that are in no list of their owner's. */
  readonly tokenId: number;
  /** The user the token belongs to. It differs from the caller when an administrator acts as somebody else. */
  readonly holderId: number;
  /** The token was created with another token, and may create none (decision 13). */
  readonly isMinted: boolean;
  /** Normalized scope strings, such as `read:user` or `all`. */
  readonly scopes: readonly string[];
  readonly isPublicOnly: boolean;
  /** Seconds since the epoch at which the token expires; absent for tokens that don't. */
  readonly expiresAt?: number;
  /** Absent for tokens of the user's own. */
  readonly oauth2?: OAuth2Credential;
}

/** The token of a running job of Actions: its one repository, and what it may do there (semantics §61). */
export interface TaskGrant {
  readonly taskId: number;
  readonly repositoryId: number;
  readonly runnerId: number;
  /** Else it may read. */
  readonly mayWrite: boolean;
}

/** Who is calling. Verbs take it explicitly; `undefined` stands for an anonymous caller. */
export interface Actor {
  readonly user: User;
  /** Absent when the caller gave a password. */
  readonly grant?: TokenGrant;
  /** The administrator who acts as this user (semantics §1.10). */
  readonly sudoBy?: number;
  /** Whose doing it is that is done in this user's name: who pushed the commits by which a request counts as merged. */
  readonly causerId?: number;
  /** The caller is a job of Actions. */
  readonly task?: TaskGrant;
}
