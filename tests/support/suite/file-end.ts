type CleanUp = () => unknown;
const cleanUps: CleanUp[] = [];

/**
 * Has something done when the test file that is running ends. For modules: they are loaded once for all files, so that
 * a hook of their own would hold in the first file alone.
 */
export function onFileFinished(cleanUp: CleanUp): void {
  cleanUps.push(cleanUp);
}

/** Does all that, the newest first. Throws the first failure, when all is done. */
export async function finishFile(): Promise<void> {
  const failures: unknown[] = [];
  for (const cleanUp of cleanUps.splice(0).reverse()) {
    try {
      await cleanUp();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
