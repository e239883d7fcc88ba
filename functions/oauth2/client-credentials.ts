import type { ClientCredentials } from "#core/oauth2-grant/authenticate-client";
import { OAuth2Refusal } from "#core/oauth2-grant/refusal";
import type { Parameters } from "./parameters.ts";

/**
 * How a program says who it is: by Basic authentication, by `client_id` and `client_secret` in the body, or by both when
 * they agree (RFC 6749, section 2.3.1). Throws OAuth2Refusal `invalid_request` when they don't.
 */
export function clientCredentials(headers: Headers, parameters: Parameters): ClientCredentials {
  const sent = { clientId: parameters.text("client_id"), secret: parameters.text("client_secret") };
  const basic = basicCredentials(headers);
  if (basic === undefined) return sent;
  const isAgreed =
    (sent.clientId === "" || sent.clientId === basic.clientId) &&
    (sent.secret === "" || sent.secret === basic.secret);
  if (!isAgreed) {
    throw new OAuth2Refusal(
      "invalid_request",
      "the body and the Authorization header name different clients",
    );
  }
  return basic;
}

/** Name and password of Basic authentication, which OAuth2 encodes like a form; undefined for any other header. */
export function basicCredentials(headers: Headers): ClientCredentials | undefined {
  const [, encoded] = /^basic\s+([\w+/=-]+)\s*$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const [clientId = "", ...secret] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  return { clientId: decoded(clientId), secret: decoded(secret.join(":")) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
