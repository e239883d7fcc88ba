type CleanUp = () => unknown;
const cleanUps: CleanUp[] = [];

/**
 * Has something done when the test file that is running ends. For modules: they are loaded once for all files, so that
 * a hook of their own would hold in the first file alone.
 */
export function onFileFinished(cleanUp: CleanUp): void {
  cleanUps.push(cleanUp);
}

/** Does all that, the newest first. */
export async function finishFile(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}
