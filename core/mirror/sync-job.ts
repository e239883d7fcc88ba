/** The kind of the job that brings over what a repository's source has. */
export const syncKind = "sync-mirror";

/** One job for each repository: who asks while one runs waits for that. */
export const syncJobId = (repositoryId: number): string => `sync-mirror-${repositoryId}`;
