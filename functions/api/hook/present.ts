import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import type { Hook } from "#core/hook/hook.table";
import { isMaskedFor, maskedUrl, secretMask } from "#core/hook/masking";
import { hookSecretsOf } from "#core/hook/secrets";
import { timestamp } from "../../http/timestamps.ts";
import type { HookJson } from "./schema.ts";

/**
 * A hook as its administrators see it: with the authorization header, masked when it isn't theirs, without the secret.
 */
export function presentHook(forge: Forge, actor: Actor | undefined, hook: Hook): HookJson {
  const { authorizationHeader } = hookSecretsOf(forge, hook);
  const isMasked = isMaskedFor(actor, hook);
  const url = isMasked ? maskedUrl(hook.url) : hook.url;
  return {
    id: hook.id,
    type: hook.type,
    url,
    content_type: hook.contentType,
    config: { url, content_type: hook.contentType, ...hook.chat },
    events: [...hook.events],
    branch_filter: hook.branchFilter,
    authorization_header: isMasked && authorizationHeader !== "" ? secretMask : authorizationHeader,
    metadata: Object.keys(hook.chat).length === 0 ? null : { ...hook.chat },
    active: hook.isActive,
    created_at: timestamp(hook.createdAt),
    updated_at: timestamp(hook.updatedAt),
  };
}
