/** Names of refusals as RFC 6749 (sections 4.1.2.1 and 5.2), OpenID Connect Core (3.1.2.6) and semantics §68.2 have them. */
export type OAuth2Code =
  | "access_denied"
  | "consent_required"
  | "interaction_required"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_request"
  | "invalid_scope"
  | "login_required"
  | "server_error"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** A refusal that a program is told in the words of OAuth2: `message` is its description, for the program's people. */
export class OAuth2Refusal extends Error {
  readonly code: OAuth2Code;
  constructor(code: OAuth2Code, message: string) {
    super(message);
    this.name = "OAuth2Refusal";
    this.code = code;
  }
}
