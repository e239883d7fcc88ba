import { type Context, Hono } from "hono";
import { jobsCaller } from "#core/caller/caller";
import { type Intake, unboundedIntake } from "#core/capacity/intake";
import { asCaller, type Forge } from "#core/forge";
import { withinTime, withoutBound } from "../http/answer/answer-time.ts";
import { RequestBody } from "../http/body/request-body.ts";
import { closeCall, openCall } from "../http/call.ts";
import { artifactRefusal, type RefusalForm } from "./answer.ts";
import { type ArtifactRequest, type FindCaller, jobOfAddress, jobOfToken } from "./request.ts";
import { callService } from "./service.ts";
import { servicePath } from "./service-path.ts";
import { takeUpload } from "./take-upload.ts";

interface Options {
  readonly forge: Forge;
  readonly intake: Intake;
}

/** One path of the protocol. */
interface ArtifactRoute {
  readonly form: RefusalForm;
  readonly findCaller: FindCaller;
  /** Its body is a file, however large and long. */
  readonly isFile?: true;
  readonly handle: (asked: ArtifactRequest) => Promise<Response>;
}

const upload: ArtifactRoute = { form: "text", findCaller: jobOfAddress, isFile: true, handle: takeUpload };
const service: ArtifactRoute = { form: "twirp", findCaller: jobOfToken, handle: callService };

/** Where jobs put artifacts, and get them again (semantics §62). */
export function createArtifactsApp({
  forge,
  intake = unboundedIntake(),
}: {
  readonly forge: Forge;
  readonly intake?: Intake | undefined;
}): Hono {
  const app = new Hono();
  app.put(`${servicePath}/UploadArtifact`, (context) => serve({ forge, intake }, upload, context));
  app.post(`${servicePath}/*`, (context) => serve({ forge, intake }, service, context));
  app.all("*", (context) => {
    const allow = context.req.path.endsWith("/UploadArtifact") ? "PUT" : "POST";
    return closeCall(openCall({ forge }, context), new Response(null, { status: 405, headers: { allow } }));
  });
  return app;
}

async function serve(options: Options, route: ArtifactRoute, context: Context): Promise<Response> {
  const call = openCall(options, context);
  const { url, request, sent } = call;
  try {
    const caller = await route.findCaller(call);
    const bound = route.isFile === true ? withoutBound : withinTime;
    const response = await bound(call, async (time) => {
      const holding = options.intake.open(jobsCaller(caller.job.run.repositoryId), {
        answer: sent,
        signal: () => time.signal(),
      });
      try {
        const forge = asCaller(call.forge, holding, time);
        const body = new RequestBody(request, { holding, config: forge.config, time });
        return await route.handle({ ...caller, forge, url, body });
      } finally {
        await holding.release();
      }
    });
    return closeCall(call, response);
  } catch (error) {
    return closeCall(call, artifactRefusal(call, route.form, error));
  }
}
