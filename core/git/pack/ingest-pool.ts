/** Runs ingests on `threads` worker threads of a bundled `ingest-worker.ts`. Undefined goes back to inline. */
export async function useIngestWorkers(
  _workers: { script: URL | string; threads: number } | undefined,
): Promise<void> {
  throw new Error("not built");
}
