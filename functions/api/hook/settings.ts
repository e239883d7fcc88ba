import { defined } from "#core/defined";
import { invalid } from "#core/errors";
import type { HookChanges, HookSettings } from "#core/hook/hook";
import type { CreateHookOptionJson, EditHookOptionJson } from "./schema.ts";

/** `message_type` is Matrix's, `package_url` Packagist's. */
const chatKeys = ["channel", "username", "icon_url", "color", "message_type", "package_url"];

/** The settings of a new hook; members missing in `config` become empty texts, which the verb refuses. */
export const settingsOf = (body: CreateHookOptionJson): HookSettings => ({
  url: "",
  contentType: "",
  ...changesOf(body),
  type: body.type,
});

/**
 * Whether a body asks for a hook that new repositories get a copy of, instead of a system hook (D-HOOKS). 422 when it
 * says neither.
 */
export function isForNewRepositories({ config }: CreateHookOptionJson): boolean {
  const asked = config.is_system_webhook ?? "true";
  if (asked !== "true" && asked !== "false") {
    throw invalid("Config", "is_system_webhook: expected true or false as text");
  }
  return asked === "false";
}

/** The changes in a body; unknown keys of `config` are ignored. */
export function changesOf({ config = {}, ...body }: EditHookOptionJson): HookChanges {
  const chat = Object.entries(config).filter(([key]) => chatKeys.includes(key));
  return {
    ...defined({ url: config.url, contentType: config.content_type, secret: config.secret }),
    ...(chat.length === 0 ? {} : { chat: Object.fromEntries(chat) }),
    ...defined({
      authorizationHeader: body.authorization_header,
      events: body.events,
      branchFilter: body.branch_filter,
      isActive: body.active,
    }),
  };
}
