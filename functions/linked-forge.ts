import { readConfig } from "#core/config";
import { createForge, type Forge } from "#core/forge";
import { lazy } from "#core/lazy";

/**
 * Makes a Lambda handler of a function that works on a forge. The first event opens the forge, from the environment and
 * the linked resources, so that importing a handler needs neither settings nor the deployment's library.
 */
export function onLinkedForge<Event, Answer>(
  work: (forge: Forge, event: Event) => Promise<Answer>,
): (event: Event) => Promise<Answer> {
  const linkedForge = lazy(async () => {
    const { linkedSettings } = await import("./resources.ts");
    return createForge(readConfig({ ...process.env, ...linkedSettings() }));
  });
  return async (event) => work(await linkedForge(), event);
}
