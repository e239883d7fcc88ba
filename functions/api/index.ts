import { handle } from "hono/aws-lambda";
import { readConfig } from "#core/config";
import { createForge } from "#core/forge";
import { behindOrigin } from "../origin.ts";
import { linkedSettings } from "../resources.ts";
import { createApi } from "./app.ts";

const forge = createForge(readConfig({ ...process.env, ...linkedSettings() }));

/** The API function: behind API Gateway's one route. */
export const handler = handle(behindOrigin(createApi({ forge }), forge.config));
