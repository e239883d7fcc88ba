import { notFound } from "#core/errors";
import type { Forge } from "#core/forge";

/** NotFound where the installation takes no files. */
export function requireEnabled({ config }: Forge): void {
  if (!config.attachmentEnabled) throw notFound("attachments are switched off on this instance");
}
