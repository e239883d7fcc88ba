import type { Hono } from "hono";
import { createFilesApp } from "#functions/files/app";
import type { ApiAnswer, Caller, TestApi } from "#tests/support/api";

/** A file to be sent. */
export interface SentFile {
  readonly name?: string;
  readonly bytes?: string | Uint8Array;
  readonly type?: string;
  /** Texts beside it, behind it in the form. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Sends a form as browsers and curl do. */
export function sendFile(
  api: TestApi,
  path: string,
  as: Caller | undefined,
  { name = "notes.txt", bytes = "hello", type = "text/plain", fields = {} }: SentFile = {},
): Promise<ApiAnswer> {
  const form = new FormData();
  form.set("attachment", new File([bytes as string], name, { type }));
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  return sendForm(api, path, as, form);
}

/** Sends a form as it is. */
export async function sendForm(
  api: TestApi,
  path: string,
  as: Caller | undefined,
  form: FormData,
): Promise<ApiAnswer> {
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
  return api.call("POST", path, { as, headers, raw: new Uint8Array(await encoded.arrayBuffer()) });
}

/** Asks, beside the API, for an address in an answer. */
export function beside(api: TestApi) {
  const files: Hono = createFilesApp(api.forge);
  return async (
    url: string,
    { as, ...init }: RequestInit & { as?: Caller | undefined; headers?: Record<string, string> } = {},
  ) => {
    const headers = { ...init.headers, ...(as && { authorization: `token ${as.token}` }) };
    const path = url.replace(api.forge.config.rootUrl, "");
    const response = await files.request(path, { ...init, headers }, { clientAddress: "192.0.2.1" });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}
