import type { Actor } from "#core/actor";
import type { Config } from "#core/config";

/** The needs of presenters beside the thing itself: the settings for links, and the caller. */
export interface View {
  readonly config: Config;
  readonly actor: Actor | undefined;
}

/** The view of a request. */
export const viewOf = (request: { forge: { config: Config }; actor: Actor | undefined }): View => ({
  config: request.forge.config,
  actor: request.actor,
});
