import type { OAuth2Refusal } from "#core/oauth2-grant/refusal";

/** An answer that nobody may keep (RFC 6749, section 5.1). */
export function jsonAnswer(
  value: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: {
      "content-type": "application/json;charset=utf-8",
      "cache-control": "no-store",
      pragma: "no-cache",
      ...headers,
    },
  });
}

/** A refusal to a program: 400 with `error` and `error_description` (semantics §68.2). */
export const refusalAnswer = ({ code, message }: OAuth2Refusal): Response =>
  jsonAnswer({ error: code, error_description: message }, 400);
