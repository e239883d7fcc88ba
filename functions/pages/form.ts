import { html } from "hono/html";
import { ForgeError, forbidden, tooLarge } from "#core/errors";
import type { Forge } from "#core/forge";
import { formType } from "../http/body/form-body.ts";
import { mediaTypeOf } from "../http/body/json-body.ts";
import type { RequestBody } from "../http/body/request-body.ts";
import { isFromElsewhere } from "../http/caller/foreign-page.ts";
import type { Markup } from "./frame.ts";
import { seenPath } from "./local-path.ts";
import { formToken, isFormToken, type Visitor } from "./visitor.ts";

const tokenField = "form_token";
const mostFormBytes = 64 * 2 ** 10;
const mostFields = 200;

/**
 * Reads the form that a visitor sent from a page of ours. Forbidden for a form of another site's page, or of another
 * browser or session; 413 and 415 for what is no form.
 */
export async function readPageForm(
  forge: Forge,
  request: Request,
  visitor: Visitor,
  body: RequestBody,
): Promise<URLSearchParams> {
  if (isFromElsewhere(request.headers, forge.config.rootUrl)) {
    throw forbidden("this form was sent by a page of another site: open the page here, then try again");
  }
  if (mediaTypeOf(request) !== formType) {
    throw new ForgeError("unsupported-media-type", `this page takes ${formType}`);
  }
  const text = (await body.bytes(mostFormBytes)).toString("utf8");
  if (text.split("&", mostFields + 1).length > mostFields) {
    throw tooLarge(`a form has at most ${mostFields} fields`);
  }
  const form = new URLSearchParams(text);
  if (visitor.newCookie !== undefined || !isFormToken(forge, visitor, form.get(tokenField) ?? "")) {
    throw forbidden(
      "this form is not valid any more, or the browser keeps no cookies: open the page again, then try once more",
    );
  }
  return form;
}

/** A form that posts to a path of this service, with the token that `readPageForm` asks for. */
export const formTo = (
  forge: Forge,
  visitor: Visitor,
  action: string,
  fields: Markup | Promise<Markup>,
): Markup | Promise<Markup> =>
  html`<form method="post" action="${seenPath(forge.config, action)}"><input type="hidden" name="${tokenField}" value="${formToken(forge, visitor)}">${fields}</form>`;
