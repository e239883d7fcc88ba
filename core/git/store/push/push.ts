import type { Write } from "../../../table/write.ts";
import type { ObjectFormat, ObjectId } from "../../format/object-format.ts";
import type { GitObject } from "../../format/object-type.ts";
import type { NewPack } from "../../pack/new-pack.ts";
import type { RefChange, RefResult, Ruling } from "../../refs/check-changes.ts";
import type { LoggedChange } from "../../refs/ref-log.ts";
import type { Root } from "../refs/refs.table.ts";
import type { RefSnapshot } from "../refs/snapshot.ts";
import type { Loan } from "../shared-packs.ts";

/** The objects of a push and of the repository, for the code that judges it. */
export interface PushedObjects {
  readonly format: ObjectFormat;
  /** An object of either; undefined when it is nowhere. */
  read(id: ObjectId): Promise<GitObject | undefined>;
}

/** The request of a push. */
export interface PushRequest {
  readonly changes: readonly RefChange[];
  /** All refs or none. */
  readonly isAtomic?: boolean;
  readonly pusherId: number;
  /** The pusher's words for the code that judges and follows the push (`git push -o`). */
  readonly pushOptions?: readonly string[];
  readonly pack?: NewPack;
  /** Refs and ROOT as they were read a moment ago: tried first, without another read. */
  readonly before?: RefSnapshot;
  /** Packs of another repository that hold the objects: asked for before each attempt; undefined when they are gone. */
  borrow?(): Promise<Loan | undefined>;
  /** This push creates the repository: its planned ROOT, which must not be stored yet. */
  readonly creates?: Root;
  /** How the pack came: by a push, or made by the service. */
  readonly source?: "receive" | "create";
  /** The caller's rules: a ruling on each change, in order. Called again after every lost race. */
  judge?(
    snapshot: RefSnapshot,
    changes: readonly RefChange[],
    pushOptions: readonly string[],
    objects: PushedObjects,
  ): readonly Ruling[] | Promise<readonly Ruling[]>;
  /** The branch that HEAD shall name after this push; undefined leaves it. */
  chooseHead?(facts: PushFacts): string | undefined;
  /**
   * Items of the same transaction, by what lands and what is refused. Called again after every lost race: build them
   * from fresh reads.
   */
  extraWrites?(facts: PushFacts, results: readonly RefResult[]): readonly Write[] | Promise<readonly Write[]>;
  /** How long lost races are tried again. */
  budgetMs?: number;
}

/** The effects of a push, for code that writes items beside it or acts after it. */
export interface PushFacts {
  readonly repositoryId: number;
  readonly pushId: string;
  readonly pusherId: number;
  readonly pushOptions: readonly string[];
  readonly timeMs: number;
  readonly before: RefSnapshot;
  /** Refs and ROOT after the transaction has committed. */
  readonly after: RefSnapshot;
  /** The changes that land, with the facts recorded of them. */
  readonly changes: readonly LoggedChange[];
  /** No ref existed before. */
  readonly wasEmpty: boolean;
  /** Bytes of the pack that came with it. */
  readonly packBytes: number;
  /** By how many bytes all packs together have grown, with lent ones. */
  readonly grownBytes: number;
}

/**
 * The result of a push. `facts` is absent when no ref landed. `gone`: no such repository, or it is being deleted.
 * `busy`: other writers won until the time was up; nothing changed.
 */
export type PushOutcome =
  | { readonly kind: "done"; readonly results: readonly RefResult[]; readonly facts?: PushFacts }
  | { readonly kind: "gone" }
  | { readonly kind: "busy" };
