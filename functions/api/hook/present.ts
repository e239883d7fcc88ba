import type { Forge } from "#core/forge";
import { secretsOf } from "#core/hook/hook";
import type { Hook } from "#core/hook/hook.table";
import { timestamp } from "../view.ts";
import type { HookJson } from "./schema.ts";

/** A hook as its administrators see it: with the authorization header, without the secret. */
export function presentHook(forge: Forge, hook: Hook): HookJson {
  return {
    id: hook.id,
    type: hook.type,
    url: hook.url,
    content_type: hook.contentType,
    config: { url: hook.url, content_type: hook.contentType, ...hook.chat },
    events: [...hook.events],
    branch_filter: hook.branchFilter,
    authorization_header: secretsOf(forge, hook).authorizationHeader,
    metadata: Object.keys(hook.chat).length === 0 ? null : { ...hook.chat },
    active: hook.isActive,
    created_at: timestamp(hook.createdAt),
    updated_at: timestamp(hook.updatedAt),
  };
}
