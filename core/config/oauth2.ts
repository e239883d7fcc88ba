import { z } from "zod";
import { builtInNames } from "../oauth2-application/built-in.ts";
import { setting } from "./setting.ts";
import { flag, integer, listOf } from "./shapes.ts";

const builtIns = listOf((entry) =>
  builtInNames.includes(entry) ? undefined : `expected names of ${builtInNames.join(", ")}`,
);

/** Logins for other programs, by OAuth2 and OpenID Connect (semantics §68). */
export const oauth2Settings = {
  oauth2Enabled: setting("OAUTH2_ENABLED", flag, true, "let users give other programs access by OAuth2"),
  oauth2DefaultApplications: setting<string[]>(
    "DEFAULT_APPLICATIONS",
    builtIns,
    [...builtInNames],
    "programs on users' machines that are known without being registered",
  ),
  accessTokenSeconds: setting(
    "ACCESS_TOKEN_EXPIRATION_TIME",
    integer(60, 86_400),
    3_600,
    "seconds that an access token of OAuth2 lasts",
  ),
  refreshTokenHours: setting(
    "REFRESH_TOKEN_EXPIRATION_TIME",
    integer(1, 87_600),
    730,
    "hours that a refresh token of OAuth2 lasts",
  ),
  invalidateRefreshTokens: setting(
    "INVALIDATE_REFRESH_TOKENS",
    flag,
    true,
    "let each use of a refresh token end those before it",
  ),
  jwtSigningAlgorithm: setting<"RS256" | "ES256" | "EdDSA">(
    "JWT_SIGNING_ALGORITHM",
    z.enum(["RS256", "ES256", "EdDSA"], "expected RS256, ES256 or EdDSA"),
    "RS256",
    "how tokens of OAuth2 are signed",
  ),
  signingKeyDays: setting(
    "SIGNING_KEY_DAYS",
    integer(1, 36_500),
    365,
    "days after which the key that signs them is replaced",
  ),
} as const;
