/** How far the objects of a sync are; plain values. */
export interface LfsProgress {
  /** The item that was done last, and how many objects of the next one are. */
  readonly after?: string;
  readonly at: number;
  readonly bytes: number;
  /** Objects that the source lacks or gave wrongly, and why the first. */
  readonly missing: number;
  readonly reason?: string;
  /** Transfers that failed, and slow answers that brought nothing. */
  readonly failures: number;
  /** How long the steps took, without pauses. */
  readonly spentMs?: number;
  /** Times that the server fell silent. */
  readonly silences: number;
}

export const lfsBegun: LfsProgress = { at: 0, bytes: 0, missing: 0, failures: 0, silences: 0 };

/** The outcome for one object. */
export interface BroughtLfs {
  readonly bytes?: number;
  /** Why it did not come. */
  readonly reason?: string;
  readonly hasFailed?: boolean;
}

/** The same with one more object. */
export function withObject(
  progress: LfsProgress,
  { bytes = 0, reason, hasFailed = false }: BroughtLfs,
): LfsProgress {
  const first = progress.reason ?? reason;
  return {
    ...progress,
    bytes: progress.bytes + bytes,
    failures: progress.failures + (hasFailed ? 1 : 0),
    missing: progress.missing + (reason === undefined ? 0 : 1),
    ...(first !== undefined && { reason: first }),
  };
}

/** The sentence for people about missing objects; undefined when everything came. `why`: the reason for giving up. */
export function lfsProblem({ missing, reason }: LfsProgress, why?: string): string | undefined {
  const lacking = missing === 0 ? [] : [`${missing} objects did not come, the first because ${reason}`];
  const parts = [...(why === undefined ? [] : [why]), ...lacking];
  return parts.length === 0 ? undefined : `Git LFS: ${parts.join("; ")}`;
}
