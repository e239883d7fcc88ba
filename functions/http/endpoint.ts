import type { Cost } from "#core/caller/rates";
import type { TableKey } from "#core/table/write";
import type { z } from "#zod";
import type { Reply } from "./answer/reply.ts";
import type { Answer, OtherReturns, Returns } from "./answer/returns.ts";
import type { ApiRequest, RightsRequest, Shape } from "./api-request.ts";
import type { Needs } from "./needs/needs.ts";
import type { ParamNames, Params } from "./params.ts";

/** The kinds that a call may count as. */
type CallCost = Extract<Cost, "light" | "heavy" | "password">;

export type Method = "get" | "post" | "put" | "patch" | "delete";
export type Tag =
  | "admin"
  | "miscellaneous"
  | "notification"
  | "organization"
  | "package"
  | "repository"
  | "issue"
  | "settings"
  | "user";

/** One operation, as a noun's `endpoints.ts` writes it. */
export interface EndpointSpec<
  N extends Needs,
  Path extends string,
  Q extends Shape | undefined,
  B extends z.ZodType | undefined,
  R extends Returns | undefined,
> {
  /** Unique: the service document's id when it names the operation, else the compatible family's (D-OPIDS). */
  readonly id: string;
  /** The family's id of the operation when this one differs: noted in the documents (D-OPIDS). */
  readonly originalId?: string;
  readonly tag: Tag;
  readonly method: Method;
  /** As documented: `{name}` for parameters. */
  readonly path: Path;
  readonly summary: string;
  readonly description?: string;
  /**
   * The kind that a call counts as, for operations that may cost much (D-RATE), possibly by its query; light when
   * absent.
   */
  readonly cost?: CallCost | ((query: URLSearchParams) => CallCost);
  readonly needs: N;
  /** 423 when the repository is archived (semantics §1.8, D-ARCHIVED): what changes its code, issues or talks. */
  readonly refusesArchived?: true;
  /** The parameter that may hold slashes, so it takes the rest of the path, or a middle part of it (D-RAWPATH). */
  readonly slashed?: ParamNames<Path>;
  /** The slashed parameter may be left out with its slash: it is empty then. */
  readonly isSlashedOptional?: true;
  /** The parameter that may be `@scope/name`, with its slash encoded or not (D-RAWPATH). */
  readonly scoped?: ParamNames<Path>;
  /** The parameter that arrives as it was sent, percent-encoded: its names have an encoding of their own. */
  readonly asSent?: ParamNames<Path>;
  /** The parameter that is documented as the integer `id`; a name is accepted as well (D-IDS). */
  readonly namedId?: ParamNames<Path>;
  /** The service document's names of path parameters that differ here: noted in the documents (D-PARAMS). */
  readonly originalNames?: Readonly<Partial<Record<ParamNames<Path>, string>>>;
  readonly query?: Q;
  /** What an answer of a form of its own is paged by: lists are by both. */
  readonly pagedBy?: "page" | "page and limit";
  readonly body?: B;
  /** A body that is plain text instead of JSON. */
  readonly bodyType?: "application/json" | "text/plain";
  /** What a request without a body stands for, an empty object when absent; `refused`: 422. */
  readonly withoutBody?: object | "refused";
  readonly bodyBytes?: number;
  /**
   * The handler reads the body as it comes, however large and long: a form that holds a file, or only its bytes.
   * Documented by media type.
   */
  readonly takesFile?: Readonly<Record<string, z.ZodType>>;
  /**
   * The keys that the handler will read first of the repository: they are read together with the caller and their
   * rights when this process knows the repository by its names. The handler gets the items after the rights were
   * checked, once, and not after its first write.
   */
  readonly readsAhead?: (repositoryId: number, params: Params<Path>) => readonly TableKey[];
  readonly status: number;
  /** Another success of the same form, for a `Reply` to give. */
  readonly otherStatus?: number;
  /** A success of another form, or without a body, which a `Reply` or a `Response` gives. */
  readonly otherReturns?: OtherReturns;
  readonly returns?: R;
  /** Documented refusals of this operation, beside those that follow from its needs and inputs. */
  readonly errors: readonly number[];
  /** The answer holds a secret: never stored by anyone (D-CACHE). */
  readonly isSecret?: true;
  /**
   * Throws the refusal of a caller without rights on the thing itself, such as one who is neither its author nor a
   * writer. Called only when query or body are invalid, because refusals of rights come before those (semantics §1.7);
   * for valid requests the handler's verb refuses.
   */
  readonly thingRights?: (request: RightsRequest<N, Path>) => Promise<unknown>;
  /** Refusals of the rights check have no body, as on a few operations of the family. */
  readonly hasBareRefusal?: true;
  /** The body is read before the rights are checked: its faults are reported first (D-ORDER-OF-CHECKS). */
  readonly isBodyFirst?: true;
  /** A question answered by the status alone: 404 without a body means no (D-CHECK). */
  readonly isCheck?: true;
  readonly isDeprecated?: true;
  readonly handle: (
    request: ApiRequest<N, Path, Q, B extends z.ZodType ? z.infer<B> : undefined>,
  ) => Promise<Answer<R> | Reply<Answer<R>> | Response>;
}

/** An operation without its types: the app routes these, and the tests walk over them. */
export type Endpoint = Omit<
  EndpointSpec<Needs, string, Shape | undefined, z.ZodType | undefined, Returns | undefined>,
  "handle" | "slashed" | "scoped" | "asSent" | "namedId" | "originalNames" | "readsAhead" | "thingRights"
> & {
  readonly readsAhead?: (
    repositoryId: number,
    params: Readonly<Record<string, string | number>>,
  ) => readonly TableKey[];
  readonly slashed?: string;
  readonly scoped?: string;
  readonly asSent?: string;
  readonly namedId?: string;
  readonly originalNames?: Readonly<Record<string, string>>;
  readonly thingRights?: (request: RightsRequest<Needs, string>) => Promise<unknown>;
  readonly handle: (request: ApiRequest<Needs, string, undefined, unknown>) => Promise<unknown>;
};

/**
 * Declares one operation. Routing, validation, authentication, the OpenAPI document, paging headers and the access
 * matrix of the tests all come from this value: it is the only place to add an operation.
 */
export function endpoint<
  const N extends Needs,
  const Path extends string,
  const Q extends Shape | undefined = undefined,
  const B extends z.ZodType | undefined = undefined,
  const R extends Returns | undefined = undefined,
>(spec: EndpointSpec<N, Path, Q, B, R>): Endpoint {
  return spec as unknown as Endpoint;
}
