import { html } from "hono/html";
import { pageAnswer } from "../pages/frame.ts";

/** What a page says. */
export interface PageText {
  readonly title: string;
  readonly text: string;
}

/** A page, with a button that posts to its own address if one is given. No other page learns that address. */
export async function pageOf(status: number, { title, text }: PageText, button?: string): Promise<Response> {
  const form = button === undefined ? "" : html`<form method="post"><button>${button}</button></form>`;
  const answer = await pageAnswer({ title, status, body: html`<p>${text}</p>${form}` });
  answer.headers.set("referrer-policy", "no-referrer");
  return answer;
}
