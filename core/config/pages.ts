import { z } from "zod";
import { setting } from "./setting.ts";
import { flag, integer, list } from "./shapes.ts";

/** What pages in browsers may do with answers. */
export const pageSettings = {
  corsEnabled: setting("CORS_ENABLED", flag, false, "let pages of other sites call the API"),
  corsAllowDomain: setting<string[]>(
    "CORS_ALLOW_DOMAIN",
    list,
    ["*"],
    "whose pages may: *, or origins such as https://app.example.org; * stands for a part of a name",
  ),
  corsMethods: setting<string[]>(
    "CORS_METHODS",
    list,
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    "what pages of other sites may do",
  ),
  corsHeaders: setting<string[]>(
    "CORS_HEADERS",
    list,
    [],
    "headers that they may send beside the usual ones",
  ),
  corsMaxAgeSeconds: setting("CORS_MAX_AGE", integer(0, 86_400), 600, "seconds that they may rely on it"),
  corsAllowCredentials: setting(
    "CORS_ALLOW_CREDENTIALS",
    flag,
    false,
    "let them send what the browser keeps; not together with CORS_ALLOW_DOMAIN=*",
  ),
  xFrameOptions: setting<string>(
    "X_FRAME_OPTIONS",
    z.string().regex(/^[\x21-\x7e ]+$/, "expected a header's value such as SAMEORIGIN"),
    "SAMEORIGIN",
    "which pages may show answers in a frame",
  ),
  enableSwagger: setting(
    "ENABLE_SWAGGER",
    flag,
    true,
    "serve the documents that describe the API, and the page of them",
  ),
} as const;
