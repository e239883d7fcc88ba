import { derivedKeys } from "../secrets.ts";

/** The keys for hooks alone that belong to `SECRET_KEY`: what who delivers is given in its place (`HOOK_KEY`). */
export const hookKeysOf = (secretKey: string): string => derivedKeys(secretKey, "hooks");
