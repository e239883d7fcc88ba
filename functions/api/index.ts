import { handle } from "hono/aws-lambda";
import { readConfig } from "#core/config";
import { createForge } from "#core/forge";
import { computeBeside } from "../compute-beside.ts";
import { behindOrigin } from "../http/origin.ts";
import { linkedSettings } from "../resources.ts";
import { createApi } from "./app.ts";

const forge = createForge(readConfig({ ...process.env, ...linkedSettings() }));

/** The gateway takes 6 MiB, a quarter of which goes into base64; lists end at 4 MiB by themselves (D-BIGBODY). */
const mostAnswerBytes = 4_400_000;

await computeBeside(import.meta.url);

/** The API function: behind API Gateway's one route. */
export const handler = handle(behindOrigin(createApi({ forge, mostAnswerBytes }), forge.config));
