import { keyLine } from "#core/public-key/public-key";
import type { PublicKey } from "#core/public-key/public-key.table";
import type { User } from "#core/user/user.table";
import { apiLinkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { timestamp } from "../../http/timestamps.ts";
import { presentUser } from "../user/present.ts";
import type { PublicKeyJson } from "./schema.ts";

/** A user's key as the caller may see it: its comment and owner only for the owner and administrators. */
export function presentPublicKey(view: View, user: User, key: PublicKey): PublicKeyJson {
  const { config, actor } = view;
  const isOwn = actor?.user.id === user.id || actor?.user.isAdmin === true;
  return {
    id: key.id,
    key: keyLine(key, { withComment: isOwn }),
    url: apiLinkTo(config, "user", "keys", key.id),
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: timestamp(key.createdAt),
    ...(isOwn ? { user: presentUser(view, user) } : {}),
    read_only: key.isReadOnly,
    key_type: "user",
  };
}
