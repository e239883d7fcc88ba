import type { Hono } from "hono";
import { answersPath, openLink } from "./answer/linked-answer.ts";
import { problem } from "./answer/problems.ts";
import { type CallOptions, closeCall, openCall } from "./call.ts";
import { answerCall, type Service } from "./pipeline.ts";

/** Operations to serve, and how. */
export interface OperationsOptions extends CallOptions, Service {}

/** Serves every path of an app that nothing else in it took. */
export function serveOperations(app: Hono, options: OperationsOptions): void {
  app.all("*", async (context) => {
    const call = openCall(options, context);
    return closeCall(call, await answerCall(options, call));
  });
}

/** Serves the links that `linkToAnswer` makes: the same operations, with the link in place of credentials. */
export function serveLinkedAnswers(app: Hono, options: OperationsOptions): void {
  app.get(`${answersPath}:link`, async (context) => {
    const call = openCall(options, context);
    const { forge, request } = call;
    const linked = await openLink(forge, context.req.param("link"));
    if (linked === undefined) {
      const message = "this link is over: ask for the file again";
      return closeCall(call, problem(404, message, forge.config.rootUrl));
    }
    const url = new URL(linked.path, request.url);
    return closeCall(call, await answerCall(options, { ...call, url, linked }));
  });
}
