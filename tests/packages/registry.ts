import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { createPackagesApp } from "#functions/packages/app";
import type { Caller, TestApi } from "#tests/support/api";

/** An answer of a registry; `json` is undefined when its body is none. */
export interface RegistryAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests walk parsed JSON freely
  readonly json: any;
}

export interface RegistryRequest {
  readonly as?: Caller | undefined;
  readonly body?: string | Uint8Array | object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks the registries of a test's forge; paths begin behind `/api/packages`. */
export function askRegistry(api: TestApi) {
  const app: Hono = createPackagesApp(api.forge);
  return async (method: string, path: string, options: RegistryRequest = {}): Promise<RegistryAnswer> => {
    const headers = new Headers(options.headers);
    if (options.as !== undefined) headers.set("authorization", `Bearer ${options.as.token}`);
    const { body } = options;
    const isBytes = typeof body === "string" || body instanceof Uint8Array;
    const sent = body === undefined ? null : isBytes ? body : JSON.stringify(body);
    if (sent !== null && !isBytes) headers.set("content-type", "application/json");
    const init = { method, headers, body: sent as NonNullable<RequestInit["body"]> | null };
    const response = await app.request(`/api/packages${path}`, init, { clientAddress: "192.0.2.1" });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return {
      ...{ status: response.status, headers: response.headers, bytes, text },
      json: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
  };
}

const sha512 = (bytes: Uint8Array): string => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

/** What npm sends to publish a version; `manifest` changes what it says of it. */
export function npmDocument(
  name: string,
  version: string,
  options: { manifest?: object; tags?: object; bytes?: Uint8Array } = {},
) {
  const bytes = options.bytes ?? Buffer.from(`${name} ${version}`);
  const file = `${name}-${version}.tgz`;
  return {
    _id: name,
    name,
    "dist-tags": options.tags ?? { latest: version },
    versions: {
      [version]: { name, version, dist: { integrity: sha512(bytes) }, ...options.manifest },
    },
    _attachments: {
      [file]: {
        content_type: "application/octet-stream",
        data: Buffer.from(bytes).toString("base64"),
        length: bytes.length,
      },
    },
  };
}
