import type { Forge } from "#core/forge";
import type { ObjectFormat } from "#core/git/format/object-format";
import type { PushFacts, PushRequest } from "#core/git/store/push/push";
import type { Log } from "#core/log";

/** Which of the two services of git a request wants. */
export type GitService = "upload" | "receive";

/** The facts about a request before anything of it is read. `repo` is without `.git`. */
export interface GitRequest {
  readonly headers: Headers;
  readonly owner: string;
  readonly repo: string;
  readonly service: GitService;
  /** The first request of a clone, fetch or push: its client is told why it can't be. */
  readonly isFirst?: boolean;
  /** Refs or objects are asked for, so the repository will be opened. */
  readonly opens?: boolean;
  /** The server's facts about the request, such as the connection. */
  readonly environment: unknown;
  /** The log of events on the way: its lines name the request. */
  readonly log: Log;
}

/** The repository, and the rules and items of a push to it. */
export interface ResolvedRepository extends Pick<PushRequest, "judge" | "chooseHead" | "extraWrites"> {
  readonly ok: true;
  readonly repository: { readonly id: number; readonly objectFormat: ObjectFormat };
  /** Opens it without another read, when it was read together with the caller's rights. */
  readonly stores?: Pick<Forge, "table" | "blobs">;
  /** The caller; absent for anonymous callers, who can't push. */
  readonly actorId?: number;
  /** Runs after the transaction, before the report; the pusher sees its lines, its failure is only logged. */
  afterPush?(facts: PushFacts): Promise<readonly string[]>;
}

/** Why a request goes no further. A 404 for a caller without credentials is sent as 401, so that git asks for some. */
export interface GitRefusal {
  readonly ok: false;
  readonly status: 401 | 403 | 404 | 429 | 503;
  /** When another try may be made; with 429 and 503. */
  readonly retryAfterSeconds?: number;
  /** Shown by git to its user. */
  readonly message: string;
}

/** Authentication and rights of a git request, as one step. */
export type GitResolver = (request: GitRequest) => Promise<ResolvedRepository | GitRefusal>;
