import { existsSync } from "node:fs";
import { useThreads } from "#core/compute/compute";

/**
 * Has this process compute on a thread when the script of one lies beside the bundled module of this URL, as it does
 * when deployed. An execution serves one request: one thread is enough.
 */
export async function computeBeside(moduleUrl: string): Promise<void> {
  const script = new URL("./compute-thread.mjs", moduleUrl);
  if (existsSync(script)) await useThreads({ script, threads: 1 });
}
