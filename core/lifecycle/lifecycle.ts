import type { Forge } from "../forge.ts";
import type { IdKind } from "../ids.ts";
import type { IssueAddress } from "../issue/placed-issues.ts";
import type { JobKinds } from "../jobs/job.ts";
import type { Part, PartCursor, PartStep, Pass } from "../jobs/passes.ts";
import type { Item } from "../table/write.ts";
import type { Checks } from "./check/checks.ts";

/**
 * Everything that jobs and `check-data` have to know of a noun: one value in its folder, named in the registry. Jobs
 * walk the registry; verbs never import it.
 */
export interface Lifecycle {
  /** Its folder below `core`. */
  readonly noun: string;
  /** Every kind of item that its tables write. */
  readonly items: readonly ItemKind[];
  /** Every kind of object in the bucket that its items name: patterns as `ItemKind` has them. */
  readonly objects?: readonly string[];
  readonly ends?: Ends;
  /** Its own kinds of jobs, by the names that stand in them. */
  readonly jobs?: JobKinds;
  /** Its invariants, for `check-data`. */
  readonly checks?: Checks;
  /** Removes what the new owner must not keep. */
  readonly moves?: Parts<MovedRepository>;
}

/**
 * A kind of item, by its key: `<partition> / <sort key>`. A name in angle brackets is a part that differs; `<owner>` is a
 * user or an organization, and `<repository>.<number>` an issue. What the key names tells whose end it must not outlive:
 * an item in the partition of what ends goes with that, any other needs an entry in `ends`, or says when it `goes`.
 */
export interface ItemKind {
  readonly at: string;
  /** The counter that gave its ids: `id`, or those that `ids` answers. */
  readonly counter?: IdKind;
  readonly ids?: (item: Item) => readonly number[];
  /** When it goes, or why it stays, if no end removes it. */
  readonly goes?: string;
}

/** What a noun does when something ends that its items belong to. */
export interface Ends {
  readonly repository?: Parts<EndedRepository, RepositoryStage>;
  readonly user?: Parts<EndedUser, UserStage>;
  readonly organization?: Parts<EndedOrganization, OrganizationStage>;
  readonly issue?: IssueEnd;
}

/** Parts of a job, by names of their own among those of the noun. */
export type Parts<Subject, Stage extends string = never> = Readonly<Record<string, EndPart<Subject, Stage>>>;

/** One part: the same rules as for any step of a job. Without a stage it comes with most others, in no promised order. */
export interface EndPart<Subject, Stage extends string = never> {
  readonly stage?: Stage;
  readonly step: (forge: Forge, subject: Subject, inner: PartCursor | undefined) => Promise<PartStep>;
  /** Beginnings of sort keys in the partition of what ends that are left to this part: counted or guarded elsewhere. */
  readonly alone?: readonly string[];
}

/** A repository that is hidden from everybody. Its own item stays until all parts are through. */
export type EndedRepository = Pass & { readonly repositoryId: number };
/** In this order: what gives rights, most others, git's data, issues, partitions beside, and hooks, which hear of it. */
export const repositoryStages = ["rights", "most", "git", "issues", "beside", "hooks"] as const;
export type RepositoryStage = (typeof repositoryStages)[number];

/** A user who is hidden from everybody. */
export type EndedUser = Pass & {
  readonly userId: number;
  readonly formerNames: readonly string[];
  /** Whether everything they owned and wrote goes, too (B-14). */
  readonly purges: boolean;
  /** The user who deleted them. */
  readonly actorId: number;
  /** Removes some of what a hidden issue holds, with the ends of issues; true when nothing is left. */
  readonly clearIssue: ClearIssue;
};
/** In this order: what they own, the issues and the comments that they wrote, most others, and at last their names. */
export const userStages = ["owned", "issues", "comments", "most", "names"] as const;
export type UserStage = (typeof userStages)[number];

/** An organization that is hidden from everybody; its teams' rights ended with this. */
export interface EndedOrganization {
  readonly organizationId: number;
  readonly formerNames: readonly string[];
  /** On whose behalf its repositories are deleted, too. */
  readonly purgedBy?: number;
}
/** In this order: what it owns, most others, and at last its names. */
export const organizationStages = ["owned", "most", "names"] as const;
export type OrganizationStage = (typeof organizationStages)[number];

/** What a noun does for an issue that is hidden from everybody. Each may be repeated, after a crash too. */
export interface IssueEnd {
  /** Removes what the issue's items lead to elsewhere, before these are removed. */
  readonly elsewhere?: (forge: Forge, address: IssueAddress) => Promise<void>;
  /**
   * Removes an item that is more than a row, by the beginning of its sort key, when the issue ends and its repository
   * stays. False when the item changed meanwhile: it is read anew.
   */
  readonly removals?: Readonly<
    Record<string, (forge: Forge, item: Item, address: IssueAddress) => Promise<boolean>>
  >;
}

export type ClearIssue = (forge: Forge, address: IssueAddress) => Promise<boolean>;

/** A repository that was given to another owner. */
export interface MovedRepository {
  readonly repositoryId: number;
  readonly ownerId: number;
  readonly formerOwnerId: number;
  /** Teams of the former owner that the transaction had no room for. */
  readonly formerTeamIds: readonly number[];
}

/** The parts that nouns declared for one job, stage by stage. */
export function partsInOrder<Subject, Stage extends string>(
  lifecycles: readonly Lifecycle[],
  partsOf: (lifecycle: Lifecycle) => Parts<Subject, Stage> | undefined,
  stages: readonly (Stage | "most")[],
): Part<Subject>[] {
  const all = lifecycles.flatMap((lifecycle) =>
    Object.entries(partsOf(lifecycle) ?? {}).map(([name, { stage, step }]) => ({
      stage: stage ?? "most",
      part: { name: `${lifecycle.noun}.${name}`, step },
    })),
  );
  return stages.flatMap((stage) => all.filter((one) => one.stage === stage).map(({ part }) => part));
}
