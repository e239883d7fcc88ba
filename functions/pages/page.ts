import type { Context, Hono } from "hono";
import { callerOf } from "#core/caller/caller";
import type { Cost } from "#core/caller/rates";
import { type Intake, unboundedIntake } from "#core/capacity/intake";
import { asCaller, type Forge } from "#core/forge";
import { withinTime } from "../http/answer/answer-time.ts";
import { RequestBody } from "../http/body/request-body.ts";
import { type Call, type CallOptions, closeCall, openCall } from "../http/call.ts";
import { readPageForm } from "./form.ts";
import { refusalPage } from "./refusal-page.ts";
import { noteVisit, type Visitor, visitorOf } from "./visitor.ts";

/** How pages are served. */
export interface PageOptions extends CallOptions {
  readonly intake?: Intake;
}

/** A request for a page, with who asks for it. */
export interface PageRequest {
  readonly forge: Forge;
  readonly request: Request;
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  readonly address: string;
  readonly visitor: Visitor;
}

/** The handlers of a path. Each may throw refusals, as operations do; `post` gets a form that was checked. */
export interface Page {
  /** The cost that a request counts as; absent: light (D-RATE). */
  readonly cost?: Cost;
  readonly get?: (asked: PageRequest) => Promise<Response>;
  readonly post?: (asked: PageRequest, form: URLSearchParams) => Promise<Response>;
}

/** Serves a page of a path as Hono writes it. */
export function addPage(app: Hono, options: PageOptions, path: string, page: Page): void {
  app.all(path, async (context) => {
    const call = openCall(options, context);
    const response = await answerPage(options, call, page, context).catch((error: unknown) =>
      refusalPage(call, error),
    );
    const { request } = call;
    return closeCall(call, request.method === "HEAD" ? new Response(null, response) : response);
  });
}

async function answerPage(options: PageOptions, call: Call, page: Page, context: Context): Promise<Response> {
  const visitor = await visitorOf(call, page.cost);
  const response = await withinTime(call, async (time) => {
    const { request, url, address } = call;
    const user = visitor.signedIn?.user;
    const actor = user === undefined ? undefined : { user };
    const caller = callerOf(actor, address);
    const holding = (options.intake ?? unboundedIntake()).open(caller, {
      answer: call.sent,
      signal: () => time.signal(),
    });
    try {
      const forge = asCaller(call.forge, holding, time);
      const params = context.req.param() as Record<string, string>;
      const asked = { forge, request, url, params, address, visitor };
      const body = new RequestBody(request, { holding, config: forge.config, time });
      return await answerBy(page, asked, body);
    } finally {
      await holding.release();
    }
  });
  if (visitor.newCookie !== undefined) response.headers.append("set-cookie", visitor.newCookie);
  await noteVisit(call.forge, visitor);
  return response;
}

async function answerBy({ get, post }: Page, asked: PageRequest, body: RequestBody): Promise<Response> {
  const { method } = asked.request;
  if (get !== undefined && (method === "GET" || method === "HEAD")) return get(asked);
  if (post !== undefined && method === "POST") {
    return post(asked, await readPageForm(asked.forge, asked.request, asked.visitor, body));
  }
  const allow = [...(get === undefined ? [] : ["GET", "HEAD"]), ...(post === undefined ? [] : ["POST"])];
  return new Response(null, { status: 405, headers: { allow: allow.join(", ") } });
}
