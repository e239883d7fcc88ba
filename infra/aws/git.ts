import { deploySettings } from "./deploy-settings.ts";
import { openPgpBeside, sharedFunctionArgs } from "./function.ts";
import { router } from "./router.ts";
import { originSecret } from "./secrets.ts";
import { addComputeThread } from "./thread-scripts.ts";

const { gitReservedConcurrency } = deploySettings;

/**
 * Git, and every answer that may be too large for the API's gateway: streamed from a function URL. The URL itself asks
 * for no signature, because git can't give one; the origin secret and the app's own authentication guard it. Only its
 * concurrency bounds its cost: an account that has only ten executions in all can reserve none.
 */
export const git = new sst.aws.Function("Git", {
  ...sharedFunctionArgs,
  handler: "functions/git/index.handler",
  timeout: "15 minutes",
  memory: "3008 MB",
  storage: "10 GB",
  streaming: true,
  link: [...sharedFunctionArgs.link, originSecret],
  nodejs: openPgpBeside,
  url: { authorization: "none", cors: false },
  hook: { postbuild: addComputeThread("functions/git") },
  ...(gitReservedConcurrency === 0 ? {} : { concurrency: { reserved: gitReservedConcurrency } }),
});

// Registries take files and stream them; nothing of them is loaded before somebody asks for it.
router.route("/api/packages", git.url, { readTimeout: "60 seconds" });
router.route("/", git.url, { readTimeout: "60 seconds" });
