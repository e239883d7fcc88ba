import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { openHistory } from "../git/store/commit-graph/load-graph.ts";
import { openRepository } from "../git/store/store.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import type { Write } from "../table/write.ts";
import { hasLfsObjects } from "./lfs.ts";
import { shareNamedLfsObjects } from "./named-objects.ts";

/** The kind of the job that gives a generated repository the objects that its files name. */
export const lfsTemplateJobKind = "share-template-lfs";

interface Generated {
  readonly templateId: number;
  readonly repositoryId: number;
}

/** The large objects of a repository that is generated from a template (semantics §41.1). */
export interface TemplateLfs {
  /** For the transaction that creates the repository. */
  readonly writes: readonly Write[];
  /** Gives it the objects, once it is there; what fails here, a job does. */
  share(): Promise<void>;
}

/** How a repository that is made from a template gets the template's large objects. */
export async function templateLfs(
  forge: Forge,
  templateId: number,
  repositoryId: number,
  copiesContent: boolean,
): Promise<TemplateLfs> {
  if (!copiesContent || !(await hasLfsObjects(forge, templateId))) {
    return { writes: [], share: async () => undefined };
  }
  const given = { templateId, repositoryId };
  const job = startJob(forge, lfsTemplateJobKind, given);
  const share = async () => {
    try {
      await shareNamed(forge, given);
    } catch (error) {
      forge.log.warn("lfs:template-shares-later", { ...given, error });
    }
    await send(forge, [job.message]);
  };
  return { writes: [job.write], share };
}

/** Gives a generated repository those objects of its template that its files name. */
export const shareWithGenerated: JobKind<Generated, never> = {
  async step(forge, given) {
    await shareNamed(forge, given);
    return { done: true };
  },
};

async function shareNamed(forge: Forge, { templateId, repositoryId }: Generated): Promise<void> {
  const opened = await openRepository(forge, repositoryId);
  const tip = opened?.refs.find(opened.head);
  if (opened === undefined || tip === undefined) return; // deleted meanwhile
  const history = await openHistory(forge, opened, { compute: forge.compute });
  await shareNamedLfsObjects(forge, { from: templateId, to: repositoryId }, { history, want: tip.id });
}
