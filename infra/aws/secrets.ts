import { hookKeysOf } from "#core/hook/hook-keys";
import { secretKeyProblem } from "#core/secrets";

/** 32 bytes in base64 that encrypt values that must be readable again. Losing it loses those values. */
export const secretKey = new sst.Secret("SecretKey");

// Every function refuses to start with an invalid key: it is better to stop the deploy.
secretKey.value.apply((value) => {
  const problem = secretKeyProblem(value);
  if (problem !== undefined) throw new Error(`the secret SecretKey: ${problem}`);
});

/**
 * The worker of webhooks has this instead: each deploy derives it, so that nobody sets or rotates a second one. It
 * opens the secrets of hooks and nothing else, in the one function that talks to any server that a user names.
 */
export const hookKey = new sst.Linkable("HookKey", {
  properties: { value: secretKey.value.apply(hookKeysOf) },
});

/** Proves to the functions that a request came through the router, so that the headers it adds may be believed. */
export const originSecret = new sst.Secret("OriginSecret");
