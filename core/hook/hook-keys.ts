import { derivedKeys } from "../secrets.ts";

/** The hook keys that belong to `SECRET_KEY`: the delivering worker gets these instead of it (`HOOK_KEY`). */
export const hookKeysOf = (secretKey: string): string => derivedKeys(secretKey, "hooks");
